"""LCOV tracefiles, as `geninfo` describes them and `genhtml` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from simulator.coverage.file_coverage import BranchCount, FileCoverage
from simulator.printable import one_line, shown_path


def render(files: Iterable[FileCoverage], root: str = "") -> str:
    """One record a file: TN, SF, FN, FNDA, FNF, FNH, BRDA, BRF, BRH, DA, LF, LH. Relative paths are put below `root`
    when it is given. Empty for no files."""
    return "".join(f"{line}\n" for file in files for line in _record(file, root))


def _record(file: FileCoverage, root: str) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{shown_path(PurePath(root, file.path))}"
    yield from _functions(file)
    yield from _branches(file)
    yield from (f"DA:{line.line},{line.count}" for line in file.lines)
    yield f"LF:{file.lines_found}"
    yield f"LH:{file.lines_hit}"
    yield "end_of_record"


def _functions(file: FileCoverage) -> Iterator[str]:
    yield from (f"FN:{function.line},{one_line(function.name)}" for function in file.functions)
    yield from (f"FNDA:{function.count},{one_line(function.name)}" for function in file.functions)
    yield f"FNF:{len(file.functions)}"
    yield f"FNH:{sum(function.count > 0 for function in file.functions)}"


def _branches(file: FileCoverage) -> Iterator[str]:
    block, last_line = 0, 0
    for branch in file.branches:
        block = block + 1 if branch.line == last_line else 0
        last_line = branch.line
        yield from _sides(branch, block)
    yield f"BRF:{file.branches_found}"
    yield f"BRH:{file.branches_hit}"


def _sides(branch: BranchCount, block: int) -> Iterator[str]:
    """`-` says that the condition itself was never evaluated."""
    for side, count in enumerate(branch.counts):
        yield f"BRDA:{branch.line},{block},{side},{count if branch.reached else '-'}"
