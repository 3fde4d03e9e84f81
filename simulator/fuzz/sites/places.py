"""Places of coverage cells in the sources: `file:line:column` of the statement that a failure belongs to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from simulator.coverage.code_map import CodeMap
from simulator.coverage.line_coverage import fits_code
from simulator.coverage.source_map import SourceRange, align
from simulator.coverage.source_text import SourceText
from simulator.errors import CompileError
from simulator.project import Contract, Project, Unit

_JUMP, _JUMPI, _PUSH1, _PUSH32 = 0x56, 0x57, 0x60, 0x7F
_LOGS = range(0xA0, 0xA5)
_ENDS = frozenset((0x00, _JUMP, _JUMPI, 0xF3, 0xFD, 0xFE, 0xFF))


@dataclass(frozen=True)
class FailurePlace:
    """A place as text. `by_caller` when it depends on the caller of the function that fails."""

    text: str
    by_caller: bool = False


@dataclass(frozen=True)
class _MappedCode:
    """A code with the program counters of its instructions, the range of each, and the sources."""

    data: bytes
    offsets: tuple[int, ...]
    ranges: tuple[SourceRange, ...]
    sources: dict[int, SourceText]

    def opcode(self, index: int) -> int:
        return self.data[self.offsets[index]]

    def statement(self, index: int) -> str:
        """Place of the statement that an instruction belongs to, empty for what compilers add."""
        source_range = self.ranges[index]
        source = self.sources.get(source_range.file)
        function = source.function_at(source_range.start) if source is not None else None
        if source is None or function is None or not function.has_statement(source_range.start, source_range.end):
            return ""
        if source.is_block(source_range.start):
            return ""
        line = source.lines.line(source_range.start)
        column = source_range.start - source.data.rfind(b"\n", 0, source_range.start)
        return f"{source.path}:{line}:{column}"

    def index_of(self, pc: int) -> int | None:
        """Index of the instruction at a program counter."""
        index = bisect_left(self.offsets, pc)
        return index if index < len(self.offsets) and self.offsets[index] == pc else None


class SourcePlaces:
    """Places in the sources of a project. What has none there is told by its program counter: `Name@0x1a2`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._mapped: dict[CodeMap, _MappedCode | None] = {}
        self._aligned: dict[tuple[int, bool], list[tuple[int, SourceRange]] | None] = {}
        self._of_unit: dict[int, dict[int, SourceText]] = {}
        self._texts: dict[tuple[str, str], SourceText] = {}

    def prepare(self, codes: Iterable[CodeMap]) -> None:
        """Map these codes now, for processes that are forked from this one."""
        for code in codes:
            self._map(code)

    def of_cell(self, code: CodeMap, cell: int, caller: int) -> FailurePlace:
        """The statement that fails in a block that writes an event, or behind a side of a branch. Where compilers put
        that into a function of their own, it is the statement that calls it, at the program counter `caller`."""
        mapped = self._map(code)
        blocks = len(code.block_starts)
        pc = code.block_starts[cell] if cell < blocks else code.branches[(cell - blocks) // 2]
        if mapped is not None:
            if cell < blocks:
                found = _event(mapped, pc, code.block_ends[cell])
            else:
                found = _side(mapped, pc, taken=bool((cell - blocks) % 2))
            if found:
                return FailurePlace(found)
            if caller and (found := _call(mapped, caller)):
                return FailurePlace(found, by_caller=True)
        return FailurePlace(f"{code.contract.rpartition(':')[2]}@{caller or pc:#x}", by_caller=True)

    def _map(self, code: CodeMap) -> _MappedCode | None:
        if code not in self._mapped:
            self._mapped[code] = self._find(code)
        return self._mapped[code]

    def _find(self, code: CodeMap) -> _MappedCode | None:
        for unit in self._project.units:
            for contract in unit.contracts:
                if contract.full_name == code.contract and (mapped := self._fitting(code, unit, contract)):
                    return mapped
        return None

    def _fitting(self, code: CodeMap, unit: Unit, contract: Contract) -> _MappedCode | None:
        is_runtime = code.kind == "runtime"
        data = contract.runtime_code if is_runtime else contract.creation_code
        aligned = self._align(contract, is_runtime=is_runtime)
        if not aligned or not fits_code(code, data, aligned):
            return None
        offsets, ranges = zip(*aligned, strict=True)
        return _MappedCode(data, offsets, ranges, self._sources(unit))

    def _align(self, contract: Contract, *, is_runtime: bool) -> list[tuple[int, SourceRange]] | None:
        key = (id(contract), is_runtime)  # contracts live as long as the project
        if key not in self._aligned:
            data = contract.runtime_code if is_runtime else contract.creation_code
            source_map = contract.runtime_source_map if is_runtime else contract.creation_source_map
            try:
                self._aligned[key] = align(data, source_map)
            except CompileError:
                self._aligned[key] = None
        return self._aligned[key]

    def _sources(self, unit: Unit) -> dict[int, SourceText]:
        if id(unit) in self._of_unit:
            return self._of_unit[id(unit)]
        texts = self._of_unit[id(unit)] = {}
        for source in unit.sources:
            key = (source.path, source.content)
            if key not in self._texts:
                self._texts[key] = SourceText(source)
            texts[source.id] = self._texts[key]
        return texts


def _straight_on(mapped: _MappedCode, branch: int, *, taken: bool) -> Iterator[int]:
    """Indexes of the instructions behind a side of a branch, up to the next jump."""
    index: int | None = branch + 1
    if taken:
        pushed = mapped.data[mapped.offsets[branch - 1] + 1 : mapped.offsets[branch]] if branch else b""
        index = mapped.index_of(int.from_bytes(pushed, "big")) if pushed else None
    if index is None:
        return
    for following in range(index, len(mapped.offsets)):
        yield following
        if mapped.opcode(following) in _ENDS:
            return


def _event(mapped: _MappedCode, start: int, end: int) -> str:
    found = ""
    index = mapped.index_of(start)
    while index is not None and index < len(mapped.offsets) and mapped.offsets[index] < end:
        if mapped.opcode(index) in _LOGS:
            found = mapped.statement(index) or found
        index += 1
    return found


def _side(mapped: _MappedCode, pc: int, *, taken: bool) -> str:
    branch = mapped.index_of(pc)
    if branch is None:
        return ""
    places = [mapped.statement(index) for index in _straight_on(mapped, branch, taken=taken)]
    return next((place for place in reversed(places) if place), "") or mapped.statement(branch)


def _call(mapped: _MappedCode, returns_to: int) -> str:
    """The statement of the JUMP that a program counter is behind of."""
    index = mapped.index_of(returns_to)
    return mapped.statement(index - 1) if index else ""
