"""`monotreme replay-commands` over fake workers: what it says, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from orchestrator.replay.errors import CommandLogError
from orchestrator.replay.recorded import read_commands
from orchestrator.replay.run import run_replay
from orchestrator.replay.service import ReplayService
from simulator.corpus.store import CorpusStore, Folder
from simulator.transaction import Transaction
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
PROGRAM = ("-m", "tests.support.agents_program")
QUIET = {"falsify": {}}


def replay(log: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *PROGRAM, json.dumps(QUIET), "replay-commands", str(log), __file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT, check=False)


def line(tool: str, calls: int | None = None, result: str = "success", **arguments: object) -> str:
    entry = {"timestamp": "2026-11-22T01:10:27.042Z", "tool": tool, "args": arguments, "result": result, "calls": calls}
    return json.dumps(entry) + "\n"


def test_each_command_is_told_and_the_report_stays_alone_on_stdout(tmp_path: Path):
    """Applied, refused by this campaign, left out, and never reached."""
    log = tmp_path / "log.jsonl"
    log.write_text(
        line("start_campaign", paths=["."])
        + line("exclude_function", 1_000, function="poke")
        + line("clear_priorities", 2_000, "failure")
        + line("exclude_function", 3_000, function="give")
        + line("clear_priorities", 900_000)
    )
    corpus = tmp_path / "corpus"
    arguments = ("--test-limit", "5000", "--workers", "1", "--corpus-dir", str(corpus), "--format", "json", "--quiet")
    result = replay(log, *arguments)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["campaign"]["calls"] == 5_000
    lines = [
        text for text in result.stderr.splitlines() if text.startswith(("line", "2 commands", "1 commands", "corp"))
    ]
    assert lines[0].startswith("line 1: start_campaign is left out")
    assert lines[1] == 'line 2: exclude_function {"function": "poke"} at 1,000 calls'
    assert lines[2] == "line 3: clear_priorities is left out: its result was failure"
    assert lines[3].startswith("line 4: exclude_function was refused")
    assert "nothing would be left to call" in lines[3]
    assert lines[4] == "line 5: clear_priorities is left out: the campaign ended before 900,000 calls"
    assert lines[5].startswith("1 commands applied, 1 refused, 2 left out")
    assert lines[6].startswith("corpus digest: ")


def test_a_malformed_log_is_wrong_input(tmp_path: Path):
    """Exit code 2, file and line, no traceback, no report."""
    log = tmp_path / "log.jsonl"
    log.write_text("nonsense\n")
    result = replay(log, "--test-limit", "1000")
    assert (result.returncode, result.stdout) == (2, "")
    assert f"error: {log}:1: " in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (line("rm"), "1: 'rm' is no command to a campaign"),
        (line("clear_priorities") + line("status"), "2: 'status' is no command to a campaign"),
        (line("exclude_function", name="x"), "1: exclude_function: "),
    ],
)
async def test_a_line_that_is_no_command_is_refused_before_anything_starts(tmp_path: Path, text: str, problem: str):
    """The same command takes its arguments as the tool does."""
    log = tmp_path / "log.jsonl"
    log.write_text(text)
    service = ReplayService(log, read_commands(log), Configuration(), print)
    with pytest.RaisesGroup(pytest.RaisesExc(CommandLogError, match=f":{problem}")):
        async with service.around_run():
            pytest.fail("it must not open")


def test_a_replay_begins_with_an_empty_corpus(tmp_path: Path):
    """Another corpus would make it another campaign; and the log that is read is not written to."""
    corpus = tmp_path / "corpus"
    request = CampaignRequest(
        paths=(tmp_path,),
        configuration=Configuration(),
        seed=1,
        workers=1,
        call_limit=1,
        time_limit=None,
        corpus_directory=corpus,
    )
    with pytest.raises(ConfigurationError, match="is being read there"):
        run_replay(request, corpus / "mcp-commands.jsonl", (), print)
    CorpusStore(corpus, lambda _: None).save(Folder.COVERAGE, (Transaction(b"\x01" * 20, b"\x02" * 20),))
    with pytest.raises(ConfigurationError, match="begins with an empty corpus"):
        run_replay(request, tmp_path / "mcp-commands.jsonl", (), print)
