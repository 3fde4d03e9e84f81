"""The dashboard of a campaign from its folder: one that ended, and one whose program died."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from actors.campaign.state import CampaignState
from actors.campaign.tests import TestRecord
from actors.campaign.worker_steering import SteeringState
from actors.coverage.function_table import FunctionTotals
from actors.events.file import event_line
from actors.events.types import (
    CampaignResumed,
    CoverageIncreased,
    LoggedEvent,
    PhaseChanged,
    PropertyFalsified,
    Steered,
    TransactionExecuted,
    WorkerRestarting,
    WorkerStarted,
)
from actors.steering.commands import Limits
from orchestrator.checkpoint.file import FORMAT, Checkpoint, checkpoint_of, write_checkpoint
from orchestrator.dashboard.saved.reading import read_folder
from orchestrator.dashboard.saved.shown import SavedCampaign, saved_state
from orchestrator.dashboard.saved.story import Story
from orchestrator.dashboard.saved.tools import SavedTools
from orchestrator.report.errors import ReportRequestError
from orchestrator.report.model import CampaignReport, CampaignSummary, CorpusSummary
from simulator.coverage.summary import CoverageSummary
from simulator.trace.data import TracedCall
from simulator.transaction import Transaction
from simulator.worker.reports import TestInfo
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry

BEGAN = 1_766_226_000.0
SEQUENCE = (Transaction(b"\x01" * 20, b"\x02" * 20, b"\xd0\xe3\x0d\xb0"),)
FAILED = TestRecord(
    TestInfo(0, "echidna_sound", "property", "Vault"),
    "solved",
    "the property returned false",
    SEQUENCE,
    SEQUENCE,
    minimal=True,
    trace=("[1] Vault::deposit{value: 1}()",),
    calls=(TracedCall("CALL", 0, "Vault::deposit{value: 1}()", contract="Vault"),),
)
OPEN = TestRecord(TestInfo(1, "echidna_open", "property", "Vault"))


def event(cursor: int, seconds: float, value: object, worker: int = -1) -> bytes:
    return event_line(LoggedEvent(cursor, BEGAN + seconds, worker, value))


EVENTS = (
    event(1, 0, PhaseChanged("compiling")),
    event(2, 2, WorkerStarted(1, 0), 0),
    event(3, 4, CoverageIncreased(10, 1, 2, 3), 0),
    event(4, 7, TransactionExecuted(5_000, 10), 0),
    event(5, 8, PropertyFalsified(0, "echidna_sound", "property", "Vault", "false", SEQUENCE), 0),
    event(6, 9, Steered("inject", "2 calls"), -1),
    event(7, 10, WorkerRestarting("it died", 0.5), 0),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a program that was killed leaves behind."""
    state = CampaignState(
        5_000,
        9.0,
        Limits(None, 60.0, None, 5_000),
        (FAILED, OPEN),
        SteeringState(),
        1,
        (1,),
        (FunctionTotals("Vault", "deposit()", 5_000, 10),),
    )
    checkpoint = Checkpoint(FORMAT, "id", "2025-12-20T10:20:09Z", "", "Vault.sol:Vault", {}, {}, 7, state)
    write_checkpoint(checkpoint_of(tmp_path), checkpoint)
    (tmp_path / "events.jsonl").write_bytes(b"".join(EVENTS) + b'{"cursor":8,"ti')
    command = {"timestamp": "2025-12-20T10:20:08Z", "tool": "inject_transaction", "caller": "claude", "args": {"a": 1}}
    (tmp_path / "mcp-commands.jsonl").write_text(json.dumps({**command, "result": "success", "calls": 4_000}) + "\n{")
    return tmp_path


async def ask(folder: Path, tool: str, **arguments: object) -> dict:
    rendered = await Dispatcher(ToolRegistry(SavedTools(read_folder(folder)).published())).call(tool, arguments)
    assert not rendered.is_error, rendered.text
    return rendered.structured


def test_a_campaign_whose_program_died_is_shown_as_of_its_checkpoint(folder: Path):
    """And says so; what it did not come to is not known, rather than good."""
    saved = read_folder(folder)
    state = saved_state(saved, Story.of(saved.events()))
    assert state.figures.ended == "the program died; this is of 2025-12-20T10:20:09Z"
    assert (state.figures.saved, state.figures.running) == (True, False)
    assert [(test.state, test.length, test.found) for test in state.tests] == [
        ("solved", 1, BEGAN + 8),
        ("open", 0, None),
    ]
    assert state.health.verdict is None
    assert state.figures.line_coverage is None


def test_events_tell_the_course_and_its_marks(folder: Path):
    """Seconds count from the first worker's readiness."""
    timeline = Story.of(read_folder(folder).events()).timeline
    assert [tuple(msgspec.to_builtins(sample)) for sample in timeline.samples] == [
        (2.0, 0.0, 10, 2),
        (5.0, 1_000.0, 10, 2),
    ]
    assert [(mark.seconds, mark.kind) for mark in timeline.marks] == [
        (6.0, "finding"),
        (7.0, "injection"),
        (8.0, "restart"),
    ]


def test_a_resumed_campaign_continues_where_it_was_and_a_new_one_begins(folder: Path):
    """The time between two programs is none of the campaign's."""
    resumed = (
        event(8, 1_000, PhaseChanged("compiling")),
        event(9, 1_001, CampaignResumed("id", "", 5_000, 8.0, 2, 1, 2)),
        event(10, 1_002, WorkerStarted(1, 0), 0),
        event(11, 1_004, CoverageIncreased(20, 1, 3, 4), 0),
    )
    with (folder / "events.jsonl").open("wb") as file:
        file.write(b"".join((*EVENTS, *resumed)))
    samples = Story.of(read_folder(folder).events()).timeline.samples
    assert samples[-1].seconds == 10.0
    assert samples[0].points == 10
    with (folder / "events.jsonl").open("wb") as file:
        file.write(b"".join((*EVENTS, resumed[0], *resumed[2:])))
    story = Story.of(read_folder(folder).events())
    assert [sample.seconds for sample in story.timeline.samples] == [2.0]
    assert story.found == {}


async def test_its_tools_answer_as_those_of_a_running_campaign(folder: Path):
    found = await ask(folder, "get_reproducer", id="Vault.echidna_sound")
    assert [call["call"] for call in found["sequence"]] == ["deposit()"]
    assert found["trace"] == ["[1] Vault::deposit{value: 1}()"]
    assert [each["id"] for each in (await ask(folder, "list_findings"))["findings"]] == ["Vault.echidna_sound"]
    assert (await ask(folder, "function_statistics"))["functions"][0]["calls"] == 5_000
    commands = (await ask(folder, "list_commands"))["commands"]
    assert [(each["caller"], each["calls"], each["arguments"]) for each in commands] == [("claude", 4_000, '{"a":1}')]


def test_the_report_of_an_earlier_campaign_is_not_taken_for_this_one(folder: Path):
    """Neither is one that cannot be read; that of the checkpoint's own campaign is."""
    checkpoint = read_folder(folder).checkpoint
    ended = msgspec.structs.replace(checkpoint, ended="time limit reached")
    summary = CampaignSummary("Vault.sol:Vault", "property", 7, 1, 5_000, 9.0, 1.0, "time limit reached")
    path = folder / "report.json"
    for made, saved, is_taken in (
        (summary, ended, True),
        (summary, checkpoint, False),
        (msgspec.structs.replace(summary, seed=8), ended, False),
        (msgspec.structs.replace(summary, calls=4_999), ended, False),
        (msgspec.structs.replace(summary, target="Other.sol:Other"), ended, False),
    ):
        report = CampaignReport(
            campaign=made, tests=(), coverage=CoverageSummary(0.0, 0.0, ()), corpus=CorpusSummary(0, 0, None)
        )
        path.write_bytes(msgspec.json.encode(report))
        write_checkpoint(checkpoint_of(folder), saved)
        assert (read_folder(folder).report is not None) is is_taken
    path.write_text("{}")
    assert "left out" in read_folder(folder).notes[0]


@pytest.mark.parametrize("content", [None, b"", b"[" * 9_999, b'{"format": 99}'])
def test_a_folder_without_a_campaign_is_told_as_that(tmp_path: Path, content: bytes | None):
    if content is not None:
        checkpoint_of(tmp_path).write_bytes(content)
    with pytest.raises(ReportRequestError, match="checkpoint"):
        read_folder(tmp_path)


def test_hostile_lines_of_events_are_passed_over(folder: Path):
    lines = (
        b"[" * 5_000,
        b'{"cursor":1,"time":"yesterday","worker":0,"event":{"type":"CoverageIncreased","points":"many"}}',
        b'{"cursor":1,"time":"","worker":0,"event":{"type":"PropertyFalsified","test":[],"counterexample":[1]}}',
        b'{"cursor":1,"time":"9999-99-99T00:00:00Z","worker":0,"event":{"type":7}}',
        b"\xff\xfe",
    )
    (folder / "events.jsonl").write_bytes(b"\n".join(lines) + b"\n" + b"".join(EVENTS))
    assert len(Story.of(read_folder(folder).events()).timeline.marks) >= 3
    assert b"event: state" in SavedCampaign(read_folder(folder), lambda: 0.0).opening("")
