"""Choosing mutants: every change of the code under test that its codes have room for, each once."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from simulator.compile.syntax.operations import Operation, Range
from simulator.coverage.source_text import SourceText
from simulator.mutation.arithmetic import arithmetic_changes
from simulator.mutation.change import Change
from simulator.mutation.conditions import branch_changes, comparison_changes, not_changes
from simulator.mutation.editing import apply_edits, fit
from simulator.mutation.effects import call_changes, literal_changes, read_changes, store_changes
from simulator.mutation.mutant import CodeEdits, Mutant
from simulator.mutation.places import Branch, UnitPlaces, operations_of, read_unit
from simulator.mutation.scope import Wanted
from simulator.printable import shortened
from simulator.project import Project

_BRANCH_KINDS = {"if": "if", "loop": "loop", "ternary": "ternary", "require": "require"}
_LOGIC_KINDS = {"&&": "and", "||": "or"}
_LENGTH = 90


@dataclass
class Chosen:
    """The mutants in the order of the sources. `untraced` counts operations that the compiler left no trace of, or that
    cannot be changed in the code, `late_reads` those that would need transient storage, `alike` the changes that lead
    to code that is there already."""

    mutants: tuple[Mutant, ...] = ()
    operations: int = 0
    untraced: int = 0
    late_reads: int = 0
    alike: int = 0


def choose_mutants(project: Project, wants: Wanted, *, has_transient: bool = True) -> Chosen:
    """All mutants of the operations that are wanted. `has_transient`: the code runs with transient storage."""
    chosen = Chosen()
    found: list[Mutant] = []
    for unit in project.units:
        chooser = _Chooser(read_unit(unit), chosen, has_transient)
        for source in unit.sources:
            operations = [each for each in operations_of(source) if wants(source.path, each)]
            if operations:
                found += chooser.mutants_of(chooser.places.sources[source.id], source.id, operations)
    chosen.mutants = tuple({mutant.id: mutant for mutant in found}.values())
    return chosen


def sample(mutants: Sequence[Mutant], count: int, seed: int) -> tuple[Mutant, ...]:
    """At most `count` of them, in their order, spread over the lines: one of each before the second of any."""
    if len(mutants) <= count:
        return tuple(mutants)
    order = list(range(len(mutants)))
    random.Random(seed).shuffle(order)
    lines: Counter[tuple[str, int]] = Counter()
    rank = {}
    for index in order:
        place = (mutants[index].file, mutants[index].line)
        rank[index] = lines[place]
        lines[place] += 1
    kept = sorted(order, key=lambda index: rank[index])[:count]
    return tuple(mutants[index] for index in sorted(kept))


class _Chooser:
    def __init__(self, places: UnitPlaces, chosen: Chosen, has_transient: bool) -> None:
        self._has_transient = has_transient
        self.places = places
        self._chosen = chosen
        self._codes = {view.name: view.code for view in places.views}
        self._known: set[bytes] = set()
        self._operand_of: dict[Range, Operation] = {}

    def mutants_of(self, source: SourceText, file: int, operations: Sequence[Operation]) -> Iterator[Mutant]:
        """The mutants of one source."""
        plain = {each.range for each in operations if each.kind in ("comparison", "not", "logic")}
        conditions = {each.parts[0] for each in operations if each.kind in ("if", "require", "ternary")}
        self._operand_of = _operands(source.data, operations)
        for operation in operations:
            self._chosen.operations += 1
            text = source.data[operation.start : operation.start + operation.length].decode("utf-8", "replace")
            made = traced = False
            for change in self._changes(operation, file, source, text, plain, conditions):
                traced |= bool(change.edits)
                mutant = self._mutant(operation, source, text, change)
                if mutant is not None:
                    made = True
                    yield mutant
            self._chosen.untraced += not made and (traced or operation.kind not in ("assignment", "read"))

    def _changes(
        self,
        operation: Operation,
        file: int,
        source: SourceText,
        text: str,
        plain: set[tuple[int, int]],
        conditions: set[tuple[int, int]],
    ) -> Iterator[Change]:
        places = self.places
        match operation.kind:
            case "arithmetic":
                yield from arithmetic_changes(operation, file, places, text)
            case "assignment" | "increment":
                yield from arithmetic_changes(operation, file, places, text)
                yield from store_changes(operation, file, places)
            case "delete":
                yield from store_changes(operation, file, places)
            case "comparison":
                changes = comparison_changes(operation, file, places, text)
                # A condition that always holds is a branch that is forced.
                is_whole = operation.range in conditions
                yield from (change for change in changes if change.operator != "caller" or not is_whole)
            case "not":
                yield from not_changes(operation, file, places, text)
            case "literal":
                yield from literal_changes(operation, file, places, self._operand_of.get(operation.range))
            case "read" if self._has_transient:
                yield from read_changes(operation, file, places, text)
            case "read":
                self._chosen.late_reads += 1
            case "call":
                yield from call_changes(operation, file, places, text)
            case "logic" | "if" | "loop" | "ternary" | "require":
                yield from branch_changes(operation, self._branches(operation, source), source.data, plain)

    def _branches(self, operation: Operation, source: SourceText) -> Sequence[Branch]:
        kind = _LOGIC_KINDS[operation.operator] if operation.kind == "logic" else _BRANCH_KINDS[operation.kind]
        starts = dict.fromkeys((operation.start, operation.parts[0][0]))
        found = (self.places.branches.get((source.path, start, kind), ()) for start in starts)
        begin, size = operation.parts[0]
        condition = source.data[begin : begin + size]
        is_joined = operation.kind == "logic" or b"&&" in condition or b"||" in condition
        # By way of the intermediate language, the jumps of such a condition are joined with those that it decides.
        return [branch for branches in found for branch in branches if not (is_joined and branch.view.via_ir)]

    def _mutant(self, operation: Operation, source: SourceText, text: str, change: Change) -> Mutant | None:
        codes = []
        applied: dict[str, bytes] = {}
        for name, edits in change.edits.items():
            fitting = fit(edits)
            code = apply_edits(self._codes[name], fitting) if fitting else None
            if not fitting or code is None:
                return None
            if code != self._codes[name]:
                codes.append(CodeEdits(name[0], name[1], fitting))
                applied[f"{name}"] = code
        if not codes or not self._is_new(applied):
            return None
        before, after = _short(text), _short(change.after)
        if operation.kind == "loop":
            before, after = _loop_texts(change.after)
        line = source.lines.line(operation.start)
        begin = source.data.rfind(b"\n", 0, operation.start) + 1
        return Mutant(
            id=_identity(source.path, operation, change),
            file=source.path,
            line=line,
            column=len(source.data[begin : operation.start].decode("utf-8", "replace")) + 1,
            function=operation.function,
            contract=operation.contract,
            operator=change.operator,
            before=before,
            after=after,
            start=operation.start,
            length=operation.length,
            codes=tuple(codes),
        )

    def _is_new(self, applied: Mapping[str, bytes]) -> bool:
        digest = hashlib.sha256(b"".join(name.encode() + code for name, code in sorted(applied.items()))).digest()
        if digest in self._known:
            self._chosen.alike += 1
            return False
        self._known.add(digest)
        return True


def _operands(data: bytes, operations: Sequence[Operation]) -> dict[Range, Operation]:
    """The arithmetic of which each range is an operand; brackets around an operand do not count."""
    found: dict[Range, Operation] = {}
    for operation in operations:
        if operation.kind in ("arithmetic", "assignment") and operation.operator != "=":
            for start, size in operation.parts:
                part = data[start : start + size]
                inner = part.strip(b" \t\r\n()")
                found[start, size] = found[start + part.find(inner), len(inner)] = operation
    return found


def _loop_texts(after: str) -> tuple[str, str]:
    condition, _, forced = after.rpartition(" -> ")
    return f"loop while {_short(condition)}", f"loop while {forced}"


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), _LENGTH)


def _identity(path: str, operation: Operation, change: Change) -> str:
    words = (path, operation.kind, str(operation.start), str(operation.length), change.operator, change.after)
    return "m" + hashlib.sha256("\0".join(words).encode()).hexdigest()[:10]
