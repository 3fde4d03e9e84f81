"""Processes get their input, are limited, and leave nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from simulator.compile.solc import runner
from simulator.compile.solc.runner import ProcessError, run_process

PYTHON = sys.executable


def run(code: str, tmp_path: Path, stdin: bytes = b"", timeout: float = 30.0) -> runner.ProcessResult:
    return run_process([PYTHON, "-S", "-E", "-c", code], stdin, tmp_path, timeout)


def test_input_output_and_exit_code_are_passed_on(tmp_path: Path) -> None:
    """Also megabytes of them, on both streams."""
    copy = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read());"
    code = copy + "sys.stderr.write('e' * 300000); sys.exit(3)"
    result = run(code, tmp_path, b"x" * 3_000_000)
    assert (result.returncode, len(result.stdout), len(result.stderr)) == (3, 3_000_000, 300_000)


def test_a_process_starts_in_its_folder(tmp_path: Path) -> None:
    """The folder is the one that was given."""
    assert run("import os; print(os.getcwd())", tmp_path).stdout.decode().strip() == str(tmp_path.resolve())


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """The message names it."""
    with pytest.raises(ProcessError, match="/no/such/program cannot be started"):
        run_process(["/no/such/program"], b"", tmp_path, 1.0)


@pytest.mark.parametrize("code", ["while True: pass", "import os; os.close(1); os.close(2)\nwhile True: pass"])
def test_a_process_that_does_not_end_is_killed(tmp_path: Path, code: str) -> None:
    """Also when it has closed its output."""
    with pytest.raises(ProcessError, match="time limit"):
        run(code, tmp_path, timeout=0.05)


ENDLESS = """
import resource, sys
from pathlib import Path
from simulator.compile.solc import runner
runner.MAX_OUTPUT = 64 << 20
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    runner.run_process([sys.executable, "-S", "-c", "while True: print('x' * 1000000)"], b"", Path("."), 600.0)
except runner.ProcessError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_output_without_end_takes_no_memory(tmp_path: Path) -> None:
    """It waits on the disk. The error says the limit."""
    told, grown = run_process([PYTHON, "-c", ENDLESS], b"", Path.cwd(), 600.0).stdout.decode().splitlines()
    assert told.endswith("wrote more than 64 MiB, the most that a compiler may")
    assert int(grown) < 16 << 10


def test_no_secret_reaches_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment is a list of names."""
    monkeypatch.setenv("PRIVATE_KEY", "secret")
    assert b"secret" not in run("import os; print(os.environ)", tmp_path).stdout


def test_too_much_output_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is stopped, its output dropped."""
    monkeypatch.setattr(runner, "MAX_OUTPUT", 1000)
    with pytest.raises(ProcessError, match="wrote more than"):
        run("while True: print('x' * 1000)", tmp_path)
