"""Standard streams that are closed or full: the exit code and the streams that are left still tell everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.streams import OutputError, is_terminal, write_result, write_stderr
from tests.support.patience import PATIENCE

COMMAND = f"{sys.executable} -m orchestrator config show --format json"
CAMPAIGN = Path(__file__).parents[1] / "support" / "campaign_program.py"


def shell(command: str, redirection: str) -> subprocess.CompletedProcess[str]:
    """A command with streams as a shell would leave them."""
    return subprocess.run(
        ["/bin/sh", "-c", f"{command} {redirection}"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_report_needs_no_stderr(tmp_path: Path, redirection: str) -> None:
    """Nobody reads the warnings; the result and its exit code are the same."""
    (tmp_path / "a.yaml").write_text("unknown: 1\n")
    done = shell(f"{COMMAND} --config {tmp_path / 'a.yaml'}", redirection)
    assert (done.returncode, done.stdout[:1]) == (0, "{")


def test_a_failure_without_stderr_keeps_its_exit_code() -> None:
    """A wrong flag is 2, not the 1 of a finding."""
    assert shell(f"{sys.executable} -m orchestrator fuzz nothing.sol", "2>&-").returncode == 2


@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        (">&-", "error: the result cannot be written: stdout is closed\n"),
        (">/dev/full", "error: the result cannot be written to stdout: No space left on device\n"),
    ],
)
def test_a_result_that_cannot_be_written_is_one_line_and_exit_code_3(redirection: str, message: str) -> None:
    """Also Python's last flush adds nothing to it."""
    done = shell(COMMAND, redirection)
    assert (done.returncode, done.stderr) == (3, message)


def test_a_help_that_cannot_be_written_is_exit_code_3() -> None:
    """Whatever writes it."""
    done = shell(f"{sys.executable} -m orchestrator --help", ">/dev/full")
    assert (done.returncode, done.stderr) == (3, "error: No space left on device\n")


@pytest.mark.integration
@pytest.mark.parametrize(("redirection", "code"), [("2>&-", 1), (">&-", 3), (">/dev/full", 3), (">&- 2>&-", 3)])
def test_a_campaign_runs_to_its_end_without_streams(tmp_path: Path, redirection: str, code: int) -> None:
    """Findings are 1, a report that nobody got is 3; no file of the campaign becomes a standard stream."""
    folder = tmp_path / "corpus"
    command = f"{sys.executable} {CAMPAIGN} '{{}}' --seed 1 --test-limit 20000 --workers 1 --corpus-dir {folder}"
    done = shell(command, redirection)
    assert done.returncode == code, done.stderr
    assert "internal error" not in done.stderr
    assert "[status]" not in (folder / "events.jsonl").read_text()
    assert ("failed!" in done.stdout) == (redirection == "2>&-")


def test_a_closed_stream_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python makes streams None that were closed when it started."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert not is_terminal(None)
    write_stderr("nobody reads this")
    with pytest.raises(OutputError, match="stdout is closed"):
        write_result("a report")
