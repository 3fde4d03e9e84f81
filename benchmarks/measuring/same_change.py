"""The same change made in the source, and whether both behave alike."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from simulator.compile import CompileOptions, compile_targets
from simulator.errors import TargetError
from simulator.evm.code_store import Substitute
from simulator.mutation.choosing import choose_mutants
from simulator.mutation.mutant import Mutant
from simulator.mutation.scope import scope_of
from simulator.mutation.trial import substitute_for
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence as Calls
from simulator.worker.commands import Setup
from simulator.worker.setup import Worker, build_worker


def _without_store(before: str) -> str:
    """The rest of an assignment: its value, computed for nothing."""
    for operator in ("+=", "-=", "*=", "/=", "%="):
        left, found, right = before.partition(f" {operator} ")
        if found:
            return f"{left} {operator[0]} ({right})"
    return before.partition(" = ")[2] or "true"


def changed_source(content: str, mutant: Mutant) -> str | None:
    """The source with a mutant's change; None where it cannot be said in one expression, or is not told whole."""
    data = content.encode()
    end = mutant.start + mutant.length
    after = {"check": "true", "store": _without_store(mutant.before)}.get(mutant.operator, mutant.after)
    if "…" in after or mutant.operator == "call" or mutant.before.startswith("loop while"):
        return None
    if mutant.operator == "store" and not data[end:].lstrip().startswith(b";"):
        return None
    if mutant.operator == "unchecked":
        after = after.removeprefix("unchecked(").removesuffix(")")
        if not data[end:].startswith(b";") or "=" not in after:
            return None
        return (data[: mutant.start] + b"unchecked { " + after.encode() + b"; }" + data[end + 1 :]).decode()
    if mutant.operator in ("arithmetic", "comparison", "condition") and not _is_statement(mutant.before):
        after = f"({after})"
    return (data[: mutant.start] + after.encode() + data[end:]).decode()


def _is_statement(before: str) -> bool:
    return before.startswith(("if", "require")) or re.search(r"[^=<>!]=[^=]|\+\+|--", before) is not None


def compiled(contents: Sequence[str], folder: Path, arguments: tuple[str, ...]) -> Project:
    """Sources, each in a file of its own, in one run of the compiler."""
    files = [folder / f"Subject{number}.sol" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_text(content)
    return compile_targets(files, msgspec.structs.replace(CompileOptions(), solc_args=arguments))


def deployed(project: Project, folder: Path, number: int = 0, substitute: Substitute | None = None) -> Worker:
    """The contract `Subject` of one of the files, deployed, with other instructions where that is wanted."""
    name = next(each.full_name for each in project.contracts if each.path.endswith(f"Subject{number}.sol"))
    path = folder / "project"
    path.write_bytes(msgspec.msgpack.encode(project))
    settings = CampaignSettings(contract=name, compile_hot_code=False)
    return build_worker(Setup(0, 1, str(path).encode(), settings), substitute=substitute)


@dataclass(frozen=True)
class SourceCheck:
    """Comparison of mutants with the same changes in the source. `alike` of those that were `compared` behaved as they
    do, and `telling` of them unlike the code as it is; `different` are the descriptions of the others."""

    compared: int = 0
    telling: int = 0
    different: tuple[str, ...] = ()

    @property
    def alike(self) -> int:
        return self.compared - len(self.different)

    def __add__(self, other: SourceCheck) -> SourceCheck:
        return SourceCheck(
            self.compared + other.compared, self.telling + other.telling, self.different + other.different
        )


def check_against_source(folder: Path, contract: str, count: int, sequences: int) -> SourceCheck:
    """Compare at most `count` mutants of the code under test of a project. The sources are changed in place and put
    back: give a copy, in which the process stands."""
    options = msgspec.structs.replace(CompileOptions(), contracts=(contract,), use_cache=False)
    project = compile_targets([Path()], options)
    name = next(each.full_name for each in project.contracts if each.name == contract)
    settings = CampaignSettings(contract=name, compile_hot_code=False)
    mutants = list(choose_mutants(project, scope_of(project, settings, ()).wants).mutants)
    random.Random(1).shuffle(mutants)
    original = _worker(project, settings, folder)
    calls = made_sequences(original, sequences)
    expected = behaviour(original, calls)
    found = SourceCheck()
    for mutant in mutants:
        file = Path(mutant.file)
        if found.compared == count:
            break
        content = file.read_text()
        changed = changed_source(content, mutant)
        if changed is None:
            continue
        ours = _outcome(project, settings, folder, calls, substitute_for(mutant))
        file.write_text(changed)
        try:
            theirs = _outcome(compile_targets([Path()], options), settings, folder, calls, None)
        finally:
            file.write_text(content)
        unlike = () if ours == theirs else (f"{mutant.place} {mutant.description}",)
        found += SourceCheck(1, int(theirs != expected), unlike)
    return found


def _outcome(
    project: Project, settings: CampaignSettings, folder: Path, calls: list[Calls], substitute: Substitute | None
) -> list[tuple[bool, bytes]] | None:
    """What the calls come to, None where the target cannot be deployed."""
    try:
        return behaviour(_worker(project, settings, folder, substitute), calls)
    except TargetError:
        return None


def _worker(project: Project, settings: CampaignSettings, folder: Path, substitute: Substitute | None = None) -> Worker:
    path = folder / "project.msgpack"
    path.write_bytes(msgspec.msgpack.encode(project))
    return build_worker(Setup(0, 1, os.fsencode(path), settings), substitute=substitute)


def made_sequences(worker: Worker, count: int) -> list[Calls]:
    """Sequences as the worker makes them."""
    found: list[Calls] = []
    engine = worker.engine
    while len(found) < count:
        engine.fuzz(engine.calls + 1)
        found.append(engine.current_sequence(worker.settings.sequence_length))
    return found


def behaviour(worker: Worker, sequences: list[Calls]) -> list[tuple[bool, bytes]]:
    """The result of all calls."""
    return [
        (result.success, result.output)
        for sequence in sequences
        for result in worker.replayer.replay(sequence, None, trace=False).results
        if result is not None
    ]
