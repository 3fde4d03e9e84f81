"""The four coverage tools as a client sees them (contract 000)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from uuid import UUID

import jsonschema
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schema_values import json_values
from tools.coverage.snapshots import SnapshotStore
from tools.coverage.table import TOOLS, CoverageContext
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry, tools_of
from tools.roots import AllowedRoots

LCOV = "TN:\nSF:src/parser.ts\nDA:1,1\nDA:2,1\nDA:3,0\nend_of_record\nSF:/abs/coverage.ts\nDA:1,0\nend_of_record\n"


class Bench:
    """The tools over a project folder and a folder of snapshots."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.snapshots = folder / "snapshots"
        (self.project / "coverage").mkdir(parents=True)
        self.write(LCOV)
        self.restart()

    def restart(self) -> None:
        roots = AllowedRoots([self.project], self.project)
        tools = tools_of(TOOLS, CoverageContext(roots, lambda: 1_729_533_600.0, SnapshotStore(self.snapshots)))
        self.registry = ToolRegistry(tools)
        self.dispatcher = Dispatcher(self.registry)

    def write(self, text: str | bytes, name: str = "lcov.info") -> Path:
        path = self.project / "coverage" / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    async def ask(self, tool: str, **arguments: object) -> dict:
        rendered = await self.dispatcher.call(tool, arguments)
        assert not rendered.is_error, rendered.text
        jsonschema.validate(rendered.structured, self.registry.find(tool).output_schema)
        assert json.loads(rendered.text) == rendered.structured
        return rendered.structured

    async def error(self, tool: str, **arguments: object) -> str:
        rendered = await self.dispatcher.call(tool, arguments)
        assert rendered.is_error
        assert rendered.structured is None
        return rendered.text


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


PATH = "./coverage/lcov.info"


@pytest.mark.requirement("000-1", "000-18", "000-19")
async def test_overall_coverage_is_weighted_by_lines(bench: Bench):
    """Two of four lines, whatever the files; the path may be absolute."""
    assert await bench.ask("get_overall_coverage", lcovPath=PATH) == {"overall": 50.0}
    absolute = str(bench.project / "coverage" / "lcov.info")
    assert await bench.ask("get_overall_coverage", lcovPath=absolute) == {"overall": 50.0}


@pytest.mark.requirement("000-D1", "000-2", "000-17")
async def test_a_missing_file_is_named_as_given(bench: Bench):
    """In the words of the contract, by every tool."""
    text = "Error: LCOV file not found at path ./no/lcov.info"
    assert await bench.error("get_overall_coverage", lcovPath="./no/lcov.info") == text
    assert await bench.error("get_file_coverage", lcovPath="./no/lcov.info", filePaths=[]) == text
    assert await bench.error("start_coverage_snapshot", lcovPath="./no/lcov.info") == text
    started = await bench.ask("start_coverage_snapshot", lcovPath=PATH)
    assert await bench.error("end_coverage_snapshot", **only_id(started), lcovPath="./no/lcov.info") == text


def only_id(started: dict) -> dict:
    return {"snapshotId": started["snapshotId"]}


@pytest.mark.requirement("000-D7", "000-3")
async def test_a_malformed_file_is_told_with_the_reason(bench: Bench):
    """An empty one is a report in which nothing is covered yet."""
    bench.write("hello")
    text = "Error: Failed to parse LCOV file: no coverage records found"
    assert await bench.error("get_overall_coverage", lcovPath=PATH) == text
    bench.write("")
    assert await bench.ask("get_overall_coverage", lcovPath=PATH) == {"overall": 0.0}


@pytest.mark.requirement("000-4")
async def test_an_unreadable_file_is_told_with_the_reason(bench: Bench):
    """A folder, a pipe, and a file without permission (where that means anything)."""
    assert await bench.error("get_overall_coverage", lcovPath="coverage") == (
        "Error: Cannot read LCOV file: not a regular file"
    )
    os.mkfifo(bench.project / "pipe")
    assert await bench.error("get_overall_coverage", lcovPath="pipe") == (
        "Error: Cannot read LCOV file: not a regular file"
    )
    bench.write(LCOV).chmod(0)
    if os.getuid() != 0:
        text = "Error: Cannot read LCOV file: permission denied"
        assert await bench.error("get_overall_coverage", lcovPath=PATH) == text


@pytest.mark.parametrize(
    "path", ["../secret.info", "/etc/passwd", "link", "../project2/lcov.info", "a\0b", "coverage/../../secret.info"]
)
async def test_paths_that_leave_the_roots_are_refused(bench: Bench, path: str):
    """Without telling whether anything is there: `..`, absolute, links, folders with a common prefix, NUL."""
    (bench.project.parent / "secret.info").write_text(LCOV)
    (bench.project.parent / "project2").mkdir()
    (bench.project.parent / "project2" / "lcov.info").write_text(LCOV)
    (bench.project / "link").symlink_to(bench.project.parent / "secret.info")
    for tool, more in (
        ("get_overall_coverage", {}),
        ("start_coverage_snapshot", {}),
        ("get_file_coverage", {"filePaths": []}),
    ):
        text = await bench.error(tool, lcovPath=path, **more)
        assert text.startswith("Error: Cannot read LCOV file: ")
        assert "secret" not in text


@pytest.mark.requirement("000-5", "000-6", "000-7", "000-9")
async def test_files_are_found_by_absolute_and_relative_paths(bench: Bench):
    """Under the spelling that was asked for; absent ones have 0."""
    wanted = {
        "src/parser.ts": 66.7,
        "./src/parser.ts": 66.7,
        str(bench.project / "src/parser.ts"): 66.7,
        "/elsewhere/src/parser.ts": 0.0,
        "other/src/parser.ts": 66.7,
        "parser.ts": 66.7,
        "coverage.ts": 0.0,
        "src/new-file.ts": 0.0,
        "arser.ts": 0.0,
        "..": 0.0,
        "": 0.0,
    }
    answer = await bench.ask("get_file_coverage", lcovPath=PATH, filePaths=list(wanted))
    assert answer == {"files": wanted}
    assert await bench.ask("get_file_coverage", lcovPath=PATH, filePaths=[]) == {"files": {}}


@pytest.mark.requirement("000-D10")
async def test_a_path_that_may_mean_two_files_means_none(bench: Bench):
    """Rather 0 than another file's figure."""
    bench.write("SF:a/x.sol\nDA:1,1\nend_of_record\nSF:b/x.sol\nDA:1,1\nend_of_record\n")
    answer = await bench.ask("get_file_coverage", lcovPath=PATH, filePaths=["x.sol", "b/x.sol", "p/a/x.sol"])
    assert answer == {"files": {"x.sol": 0.0, "b/x.sol": 100.0, "p/a/x.sol": 100.0}}


@pytest.mark.requirement("000-D6", "000-8")
@pytest.mark.parametrize("paths", ["src/a.ts", {"a": 1}, [1], None, 5])
async def test_file_paths_must_be_an_array_of_strings(bench: Bench, paths: object):
    """In the words that were decided for it."""
    text = await bench.error("get_file_coverage", lcovPath=PATH, filePaths=paths)
    assert text == "Error: Invalid input: filePaths must be an array of strings"


async def test_unknown_and_missing_arguments_are_told(bench: Bench):
    """All of them at once."""
    text = await bench.error("get_overall_coverage", path="x")
    assert text == "Error: Invalid input: lcovPath is required; path is not a known argument; known are: lcovPath"


@pytest.mark.requirement("000-D4", "000-10", "000-11")
async def test_snapshots_have_random_names_and_survive_a_restart(bench: Bench):
    """Many at once, private, and comparing uses none up."""
    first = await bench.ask("start_coverage_snapshot", lcovPath=PATH)
    second = await bench.ask("start_coverage_snapshot", lcovPath=PATH)
    assert UUID(first["snapshotId"]).version == 4
    assert first["snapshotId"] != second["snapshotId"]
    assert first["timestamp"] == 1_729_533_600_000
    assert bench.snapshots.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in bench.snapshots.iterdir()} == {0o600}
    bench.restart()
    for started in (first, second, first):
        answer = await bench.ask("end_coverage_snapshot", **only_id(started), lcovPath=PATH)
        assert answer["overallChange"] == 0.0


@pytest.mark.requirement("000-12")
async def test_a_snapshot_that_cannot_be_kept_is_told(bench: Bench):
    """With the reason, and no half file; a folder of somebody else is not used."""
    bench.snapshots.write_text("in the way")
    text = await bench.error("start_coverage_snapshot", lcovPath=PATH)
    assert text.startswith("Error: Cannot create snapshot: ")
    bench.snapshots.unlink()
    bench.snapshots.mkdir(mode=0o777)
    bench.snapshots.chmod(0o777)
    assert "not a private folder" in await bench.error("start_coverage_snapshot", lcovPath=PATH)
    bench.write("junk")
    assert "Failed to parse" in await bench.error("start_coverage_snapshot", lcovPath=PATH)


@pytest.mark.requirement("000-D2", "000-13", "000-14", "000-15")
async def test_changes_are_told_for_every_file_of_either_side(bench: Bench):
    """The seed's example: improved, decreased, unchanged, new and removed; absolute and relative are the same file."""
    bench.write(
        "SF:src/parser.ts\nDA:1,1\nDA:2,0\nend_of_record\nSF:src/coverage.ts\nDA:1,1\nDA:2,1\nend_of_record\n"
        "SF:src/same.ts\nDA:1,1\nend_of_record\nSF:src/deprecated.ts\nDA:1,1\nend_of_record\n"
    )
    started = await bench.ask("start_coverage_snapshot", lcovPath=PATH)
    bench.write(
        f"SF:{bench.project}/src/parser.ts\nDA:1,1\nDA:2,1\nend_of_record\nSF:src/coverage.ts\nDA:1,1\nDA:2,0\n"
        "end_of_record\nSF:./src/same.ts\nDA:1,1\nend_of_record\nSF:src/new-feature.ts\nDA:1,1\nend_of_record\n"
    )
    assert await bench.ask("end_coverage_snapshot", **only_id(started), lcovPath=PATH) == {
        "overallChange": 0.0,
        "fileChanges": {
            f"{bench.project}/src/parser.ts": 50.0,
            "src/coverage.ts": -50.0,
            "./src/same.ts": 0.0,
            "src/new-feature.ts": 100.0,
            "src/deprecated.ts": -100.0,
        },
        "newFiles": ["src/new-feature.ts"],
        "removedFiles": ["src/deprecated.ts"],
    }


@pytest.mark.requirement("000-D3", "000-D9", "000-16")
@pytest.mark.parametrize(
    "name",
    [
        "550e8400-e29b-41d4-a716-446655440000",
        "../../project/coverage/lcov.info",
        "550e8400-e29b-11d4-a716-446655440000",
        "",
        "550e8400-e29b-41d4-a716-446655440000\n",
        "x/../550e8400-e29b-41d4-a716-446655440000",
    ],
)
async def test_unknown_snapshots_are_named(bench: Bench, name: str):
    """What is no UUID of version 4 never becomes a path."""
    text = await bench.error("end_coverage_snapshot", snapshotId=name, lcovPath=PATH)
    assert text == f"Error: Snapshot not found with ID {name}"


@pytest.mark.requirement("000-D11")
async def test_a_report_is_parsed_again_only_when_it_has_changed(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    """By path, time and size."""
    from tools.coverage import lcov_files

    parsed = []
    parse = lcov_files.parse_lcov
    monkeypatch.setattr(lcov_files, "parse_lcov", lambda file: parsed.append(1) or parse(file))
    for _ in range(3):
        await bench.ask("get_overall_coverage", lcovPath=PATH)
    assert len(parsed) == 1
    bench.write(LCOV + "SF:new\nDA:1,1\n")
    assert await bench.ask("get_overall_coverage", lcovPath=PATH) == {"overall": 60.0}
    assert len(parsed) == 2


@pytest.mark.requirement("000-D12")
async def test_a_long_parse_holds_nobody_up(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    """It runs in a thread, under the deadline of its class; when it is done the next caller finds it."""
    import threading

    from tools.coverage import lcov_files
    from tools.deadlines import Deadlines

    proceed = threading.Event()
    parse = lcov_files.parse_lcov
    monkeypatch.setattr(lcov_files, "parse_lcov", lambda file: proceed.wait(30) and parse(file))
    impatient = Dispatcher(bench.registry, Deadlines(analysis=20))
    rendered = await impatient.call("get_overall_coverage", {"lcovPath": PATH})
    assert rendered.text == "Error: Tool get_overall_coverage exceeded 20ms"
    proceed.set()
    assert await bench.ask("get_overall_coverage", lcovPath=PATH) == {"overall": 50.0}


@pytest.mark.requirement("000-20")
def test_descriptions_say_what_when_and_what_comes_back(bench: Bench):
    """For the model that chooses among tools."""
    for tool in bench.registry.get_all_tools():
        assert "Use this" in tool.description
        assert "eturn" in tool.description or "Shows" in tool.description


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_input_is_answered(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    """Valid or not: never an exception, and every failure in the family's form."""
    bench = Bench(tmp_path_factory.mktemp("bench"))
    tool = data.draw(st.sampled_from(bench.registry.get_all_tools()))
    arguments = data.draw(json_values(tool))
    rendered = trio.run(bench.dispatcher.call, tool.name, arguments)
    if rendered.is_error:
        assert rendered.text.startswith("Error: ")
    else:
        jsonschema.validate(rendered.structured, tool.output_schema)
