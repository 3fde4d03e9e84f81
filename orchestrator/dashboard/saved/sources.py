"""Sources and coverage of a saved campaign, from the reports in its folder: `covered.*.txt` and `covered.*.lcov`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import msgspec
import trio

from orchestrator.dashboard.page_tools.open_branches import OpenBranch, PageFrontierInput, PageFrontierResult
from orchestrator.dashboard.page_tools.source_lines import (
    MAX_FILES,
    MAX_FUNCTIONS,
    MAX_LINE_LENGTH,
    FileFigures,
    PageFilesResult,
    PageSourceInput,
    PageSourceResult,
    SourceFunction,
    SourceLine,
)
from orchestrator.dashboard.saved.reading import SavedFolder
from simulator.files.regular_file import read_at_most
from simulator.known_names import known_names
from tools.campaign.inputs import NoInput
from tools.campaign.publishing import looking
from tools.campaign.results import answer_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Deadline, Tool

MAX_REPORT_BYTES: Final = 128 << 20
UNSAVED = (
    "The folder has no report of coverage in the formats txt and lcov, which a campaign writes at its end."
    " `monotreme serve PATH --corpus-dir DIR --resume` opens the campaign live."
)
_LINE: Final = re.compile(r"^ *([0-9]{1,8}) \| (.{4})\| (.*)$", re.DOTALL)
_REPORT: Final = re.compile(r"covered\.([0-9]{1,15})\.lcov")
_SIDES: Final = ("true", "false")


class _Branch(msgspec.Struct):
    line: int
    counts: list[int]


class _File(msgspec.Struct):
    """`lines` are text and marks; `branches` by line and block."""

    lines: list[tuple[str, str]] = []
    counts: dict[int, int] = {}
    branches: dict[tuple[int, int], _Branch] = {}
    functions: list[SourceFunction] = []
    entered: dict[str, int] = {}

    @property
    def open_branches(self) -> Iterator[_Branch]:
        return (each for each in self.branches.values() if sum(count > 0 for count in each.counts) == 1)


class SavedSources:
    def __init__(self, folder: SavedFolder) -> None:
        self._folder = folder
        self._files: dict[str, _File] | None = None
        self._reading = trio.Lock()

    def published(self) -> Iterator[Tool[Any]]:
        look = partial(looking, deadline=Deadline.ANALYSIS)
        what = "As of a running campaign, from the folder of one that has ended."
        yield look("page_files", what, (NoInput, PageFilesResult), self.files)
        yield look("page_source", what, (PageSourceInput, PageSourceResult), self.source)
        yield look("page_frontier", what, (PageFrontierInput, PageFrontierResult), self.frontier)

    async def files(self, inputs: NoInput) -> Answer:
        files = await self._all()
        listed = tuple(_figures(path, file) for path, file in list(files.items())[:MAX_FILES])
        return answer_of(PageFilesResult(listed, len(files), "" if files else UNSAVED))

    async def source(self, inputs: PageSourceInput) -> Answer:
        files = await self._all()
        file = files.get(inputs.file)
        if file is None:
            message = f"there is no source file {inputs.file[:200]!r}; known are: {known_names(inputs.file, files)}"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
        if inputs.covered_by is not None:
            message = "What one sequence covers is not in the folder of a campaign"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_SAVED")
        missing: dict[int, list[str]] = {}
        for each in file.open_branches:
            missing.setdefault(each.line, []).append(f"never {_missing(each)}")
        shown = range(inputs.start_line, min(len(file.lines), inputs.start_line + inputs.limit - 1) + 1)
        return answer_of(
            PageSourceResult(
                file=inputs.file,
                lines=tuple(
                    SourceLine(
                        number,
                        file.lines[number - 1][0][:MAX_LINE_LENGTH],
                        file.counts.get(number),
                        file.lines[number - 1][1].strip().removeprefix("*"),
                        tuple(missing.get(number, ())),
                        None,
                    )
                    for number in shown
                ),
                total_lines=len(file.lines),
                functions=tuple(file.functions[:MAX_FUNCTIONS]),
                covered_lines=None,
            )
        )

    async def frontier(self, inputs: PageFrontierInput) -> Answer:
        """Operands and nearest sequences are not in the folder, so the order is that of how often it was tried."""
        files = await self._all()
        found = [(path, file, each) for path, file in files.items() for each in file.open_branches]
        found.sort(key=lambda each: -sum(each[2].counts))
        listed = tuple(_open(path, file, each) for path, file, each in found[: inputs.limit])
        return answer_of(PageFrontierResult(listed, len(found), len(found), (), "" if files else UNSAVED))

    async def _all(self) -> dict[str, _File]:
        async with self._reading:
            if self._files is None:
                self._files = await trio.to_thread.run_sync(_read, self._folder)
        return self._files


def _figures(path: str, file: _File) -> FileFigures:
    sides = [count > 0 for each in file.branches.values() for count in each.counts]
    return FileFigures(path, sum(map(bool, file.counts.values())), len(file.counts), sum(sides), len(sides))


def _missing(branch: _Branch) -> str:
    return _SIDES[branch.counts.index(0)]


def _open(path: str, file: _File, branch: _Branch) -> OpenBranch:
    before = [each for each in file.functions if each.line <= branch.line]
    contract, _, name = before[-1].name.partition("(")[0].rpartition(".") if before else ("", "", "")
    return OpenBranch(
        file=path,
        line=branch.line,
        source=file.lines[branch.line - 1][0].strip()[:MAX_LINE_LENGTH] if branch.line <= len(file.lines) else "",
        kind="",
        contract=contract,
        function=name,
        missing=_missing(branch),
        times=sum(branch.counts),
        seen="",
        needs="",
        distance_bits=None,
        callees=(),
        nearest_entry=None,
        nearest=(),
        solving=(),
        values=(),
    )


def _read(folder: SavedFolder) -> dict[str, _File]:
    """Files of the newest reports; none of a campaign that did not come to its end, as they are of one before it."""
    if folder.report is None:
        return {}
    try:
        names = [each.name for each in folder.path.iterdir()]
        stamps = [int(found[1]) for name in names if (found := _REPORT.fullmatch(name))]
        if not stamps:
            return {}
        newest = folder.path / f"covered.{max(stamps)}.lcov"
        files = _counts(read_at_most(newest, MAX_REPORT_BYTES).decode("utf-8", "replace"))
        _add_texts(files, read_at_most(newest.with_suffix(".txt"), MAX_REPORT_BYTES).decode("utf-8", "replace"))
    except OSError:
        return {}
    return files


def _add_texts(files: dict[str, _File], text: str) -> None:
    file: _File | None = None
    for line in text.split("\n"):
        found = _LINE.match(line)
        if found is None:
            file = files.get(line, file if not line else None)
        elif file is not None and int(found[1]) == len(file.lines) + 1:
            file.lines.append((found[3], found[2]))


def _counts(text: str) -> dict[str, _File]:
    """An LCOV file as this program writes it. Other records are passed over."""
    files: dict[str, _File] = {}
    file = _File()
    for line in text.split("\n"):
        kind, _, rest = line.partition(":")
        fields = rest.split(",")
        if kind == "SF":
            file = files.setdefault(rest, _File())
        elif kind == "DA" and len(fields) >= 2 and _are_numbers(fields[:2]):
            file.counts[int(fields[0])] = int(fields[1])
        elif kind == "BRDA" and len(fields) == 4 and _are_numbers(fields[:3]):
            number, block, side = map(int, fields[:3])
            branch = file.branches.setdefault((number, block), _Branch(number, [0, 0]))
            if side < len(_SIDES):
                branch.counts[side] = int(fields[3]) if _are_numbers(fields[3:]) else 0
        elif kind == "FN" and len(fields) >= 2 and _are_numbers(fields[:1]):
            file.functions.append(SourceFunction(",".join(fields[1:]), int(fields[0]), int(fields[0]), 0))
        elif kind == "FNDA" and len(fields) >= 2 and _are_numbers(fields[:1]):
            file.entered[",".join(fields[1:])] = int(fields[0])
    for file in files.values():
        file.functions = [
            msgspec.structs.replace(each, count=file.entered.get(each.name, 0)) for each in file.functions
        ]
    return files


def _are_numbers(fields: list[str]) -> bool:
    return all(each.isascii() and each.isdigit() and len(each) <= 20 for each in fields)
