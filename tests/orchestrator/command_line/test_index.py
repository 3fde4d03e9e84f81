"""`monotreme index` as the user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.command_line import index
from orchestrator.command_line.entry import run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "Vault.sol").write_text("contract Vault {\n    uint256 total;\n}\n")
    return root


@pytest.mark.requirement("002-D5")
def test_a_folder_is_indexed_then_brought_up_to_date(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The summary says what was read; --check what would be; the memory is in the state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert run(["index", str(project)]) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"vault: {project}\n1 files were added: Vault.sol\n")
    assert output.endswith("2 chunks (+2)\n")
    assert (tmp_path / "state/monotreme/codebases.sqlite").exists()
    (project / "Vault.sol").write_text("contract Vault {}\n")
    assert run(["index", str(project), "--check"]) == 0
    assert "1 files would be changed: Vault.sol" in capsys.readouterr().out
    assert run(["index", str(project), "--name", "vault"]) == 0
    assert capsys.readouterr().out.endswith("1 chunks (-1)\n")


def test_wrong_input_ends_with_one_line(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of other folders, codebases that are not there, and files in place of folders."""
    memory = ["--memory", str(tmp_path / "memory.sqlite")]
    assert run(["index", str(project), "--name", "v", *memory]) == 0
    (tmp_path / "other").mkdir()
    for arguments in (
        [str(tmp_path / "other"), "--name", "v"],
        [str(project), "--name", "unknown", "--check"],
        [str(project / "Vault.sol")],
        [str(project), "--name", "a\nb"],
    ):
        assert run(["index", *arguments, *memory]) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_progress_is_told_only_where_it_takes_long(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On stderr, in files done and files to do."""
    memory = ["--memory", str(tmp_path / "memory.sqlite")]
    assert run(["index", str(project), *memory]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(index, "QUIET_SECONDS", 0.0)
    assert run(["index", str(project), *memory]) == 0
    assert "indexing: 0 of 1 files" in capsys.readouterr().err
