"""Published coverage reports: fresh within reason, consistent, never at the loop's cost."""

from __future__ import annotations

import json
import struct
import threading
from pathlib import Path

import msgspec
import pytest
import trio

from actors.coverage.reader import INTERVAL, CoverageReader
from actors.coverage.tracker import CoverageTracker
from simulator.corpus.feature_index import feature_numbers
from simulator.coverage.code_map import CodeMap
from simulator.coverage.summary import percent
from simulator.project import Contract, Project, SourceFile, Unit
from simulator.worker.reports import Coverage
from tests.support.patience import PATIENCE

DATA = Path(__file__).parents[1] / "simulator" / "coverage" / "data" / "maze_legacy.json"


class Target:
    """A recorded compilation, with the cells that its execution counted."""

    def __init__(self, source_map: str | None = None) -> None:
        record = json.loads(DATA.read_text(encoding="utf-8"))
        runtime = record["runtime"]
        contract = Contract(
            path=record["path"],
            name=record["name"],
            kind="contract",
            abi=(),
            creation_code=b"",
            runtime_code=bytes.fromhex(runtime["code"]),
            runtime_source_map=runtime["map"] if source_map is None else source_map,
        )
        source = SourceFile(0, record["path"], record["source"])
        self.project = Project("/project", (Unit("0.8.30", "cancun", (source,), (contract,)),))
        self.code = CodeMap(
            contract.full_name,
            "runtime",
            tuple(runtime["starts"]),
            tuple(runtime["ends"]),
            tuple(runtime["branches"]),
        )
        self.counts = runtime["counts"]

    def frame(self, share: float = 1.0) -> Coverage:
        hit = [(cell, count) for cell, count in enumerate(self.counts) if count]
        hit = hit[: int(len(hit) * share)]
        cells, counts = zip(*hit, strict=True)
        return Coverage(0, struct.pack(f"<{len(cells)}I", *cells), struct.pack(f"<{len(counts)}Q", *counts))


@pytest.fixture
def target() -> Target:
    return Target()


def tracker_of(target: Target, share: float = 1.0) -> CoverageTracker:
    tracker = CoverageTracker()
    tracker.begin(0, (target.code,))
    tracker.absorb(0, target.frame(share))
    return tracker


async def report_of(reader: CoverageReader):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader.run)
        with trio.fail_after(PATIENCE):
            report = await reader.fresh(PATIENCE)
        nursery.cancel_scope.cancel()
    return report


def totals(lcov: str) -> tuple[int, int]:
    lines = [line.partition(":")[2].split(",") for line in lcov.splitlines() if line.startswith("DA:")]
    return sum(int(count) > 0 for _, count in lines), len(lines)


@pytest.mark.requirement("004-15", "004-17")
async def test_percentages_are_those_of_the_lcov_dump(target: Target):
    """Overall coverage is what a reader of LCOV computes from it, to the last digit; LF, LH, BRF and BRH agree."""
    reader = CoverageReader(tracker_of(target), target.project)
    report = await report_of(reader)
    _, text = await reader.lcov(report)
    assert totals(text) == (report.lines_hit, report.lines_found)
    assert percent(*totals(text)) == report.summary.line_coverage > 0
    fields = dict(line.split(":") for line in text.splitlines() if line[:3] in ("LF:", "LH:", "BRF", "BRH"))
    assert (int(fields["LH"]), int(fields["LF"])) == totals(text)
    assert percent(int(fields["BRH"]), int(fields["BRF"])) == report.summary.branch_coverage
    assert "SF:/project/" in text
    assert (await reader.lcov(report))[1] is text, "rendered once"


async def test_a_fresh_report_contains_what_was_there_when_it_was_asked_for(target: Target):
    """A reader waits for the report in the making, and gets the next when that one began too early."""
    tracker = tracker_of(target, share=0.3)
    reader = CoverageReader(tracker, target.project)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader.run)
        with trio.fail_after(PATIENCE):
            first = await reader.fresh(PATIENCE)
            tracker.absorb(0, target.frame())
            second = await reader.fresh(PATIENCE)
            assert await reader.fresh(0) is second, "nothing has changed since"
        nursery.cancel_scope.cancel()
    assert (first.frames, second.frames) == (1, 2)
    assert second.lines_hit > first.lines_hit
    assert reader.statistics().behind == 0


async def test_who_cannot_wait_gets_the_latest(target: Target):
    """Without time, the report published last, however old."""
    tracker = tracker_of(target)
    reader = CoverageReader(tracker, target.project)
    assert (await reader.fresh(0)).frames == -1
    report = await report_of(reader)
    tracker.absorb(0, target.frame())
    assert await reader.fresh(0) is report
    assert reader.statistics().behind == 1


async def test_reports_are_not_made_while_nothing_grows(autojump_clock, target: Target, monkeypatch):
    """Over an hour without coverage there is one report; when points grow, the next follows within the interval."""
    tracker = tracker_of(target, share=0.5)
    reader = CoverageReader(tracker, target.project)

    async def make(snapshot):
        await trio.lowlevel.checkpoint()
        return reader._builder.build(snapshot)

    monkeypatch.setattr(reader, "_make", make)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader.run)
        for _ in range(3_600):
            await trio.sleep(1)
            tracker.absorb(0, target.frame(0.5))
        assert reader.statistics().reports == 1
        tracker.absorb(0, target.frame())
        await trio.sleep(INTERVAL + 0.1)
        assert reader.statistics().reports == 2
        nursery.cancel_scope.cancel()


async def test_many_askers_do_not_take_a_core(autojump_clock, target: Target, monkeypatch):
    """A report takes a second; readers who ask all the time get one every five seconds."""
    tracker = tracker_of(target)
    reader = CoverageReader(tracker, target.project)

    async def make(snapshot):
        await trio.sleep(1)
        return reader._builder.build(snapshot)

    async def ask() -> None:
        while True:
            await reader.fresh(0.05)
            await trio.sleep(0.3)
            tracker.absorb(0, target.frame())

    monkeypatch.setattr(reader, "_make", make)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader.run)
        for _ in range(4):
            nursery.start_soon(ask)
        await trio.sleep(60)
        nursery.cancel_scope.cancel()
    assert 10 <= reader.statistics().reports <= 13


async def test_sources_that_cannot_be_mapped_are_a_problem_not_a_crash():
    """The report says why; readers are answered at once."""
    target = Target(source_map="nonsense")
    reader = CoverageReader(tracker_of(target), target.project)
    await reader.run()
    assert "source map entry 0" in (await reader.fresh(60)).problem
    assert reader.latest.files == ()


async def test_the_frontier_names_the_entry_that_reaches_it(target: Target):
    """The shortest entry that evaluates the condition, as far as entries were measured."""
    tracker = tracker_of(target)
    asked: list[list[int]] = []

    def nearest(numbers) -> str:
        asked.append(list(numbers))
        return "abc"

    reader = CoverageReader(tracker, target.project, nearest=nearest)
    report = await report_of(reader)
    assert report.frontier
    assert {each.nearest_entry for each in reader.frontier(report, 99)} == {None}
    code, cell = report.frontier[0].cells[0]
    assert code == target.code
    features = tracker.feature_set(0, ((0, struct.pack("<2I", 16 * cell, 16 * cell + 1)),))
    assert reader.frontier(report, 1)[0].nearest_entry == "abc"
    assert asked == [feature_numbers(features).tolist()]
    assert reader.frontier(report, 99, contract="Nobody") == ()


async def test_a_file_is_found_by_a_whole_end_of_its_path(target: Target):
    """Its path, or whole components at its end; never a part of a name."""
    reader = CoverageReader(tracker_of(target), target.project)
    report = await report_of(reader)
    path = report.files[0].path
    assert (await reader.annotated(report, path)).lines_hit == report.lines_hit
    assert await reader.annotated(report, path[1:]) is None


async def test_excluded_files_are_in_no_part_of_a_report(target: Target):
    """Neither in the percentages nor on the frontier."""
    report = await report_of(CoverageReader(tracker_of(target), target.project, excluded=("*.sol",)))
    assert (report.files, report.frontier, report.summary.line_coverage) == ((), (), 0.0)


async def test_lcov_that_takes_too_long_is_that_of_the_report_before(target: Target, monkeypatch: pytest.MonkeyPatch):
    reader = CoverageReader(tracker_of(target), target.project)
    first, before = await reader.lcov(await report_of(reader))
    may_end = threading.Event()
    monkeypatch.setattr("actors.coverage.reader.render", lambda *_: "later" if may_end.wait() else "")
    newer = msgspec.structs.replace(first, frames=first.frames + 1)
    assert await reader.lcov(newer, seconds=0) == (first, before)
    may_end.set()
    with trio.fail_after(PATIENCE):
        assert await reader.lcov(newer) == (newer, "later")
