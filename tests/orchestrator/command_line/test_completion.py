"""Completion of commands and flags by shells."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from orchestrator.command_line.completion import SHELLS, VARIABLE
from orchestrator.command_line.entry import run


def completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str) -> set[str]:
    """Bash's offers after these words."""
    monkeypatch.setenv(VARIABLE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    assert run([]) == 0
    return {line.partition(",")[2] for line in capsys.readouterr().out.split()}


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("monotreme con", {"config"}),
        ("monotreme config ", {"show"}),
        ("monotreme fuzz --corpus-", {"--corpus-dir", "--corpus-format"}),
        ("monotreme fuzz --corpus-format m", {"medusa"}),
        ("monotreme completion z", {"zsh"}),
    ],
)
def test_commands_flags_and_values_are_completed(
    words: str, offered: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shell asks the program itself, so nothing is listed twice."""
    assert completed(monkeypatch, capsys, words) == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It asks the program by an environment variable; a shell that is here accepts it."""
    assert run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"{VARIABLE}={shell}_complete" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script.encode(), check=True)


def test_other_shells_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With the names of those that work."""
    assert run(["completion", "tcsh"]) == 2
    assert "'bash', 'zsh', 'fish'" in capsys.readouterr().err
