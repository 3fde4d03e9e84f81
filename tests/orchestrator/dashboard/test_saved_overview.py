"""`monotreme show` of a folder that holds the folders of several campaigns."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from orchestrator.command_line.entry import run
from tests.support.campaign_reports import report


def saved(folder: Path, name: str, text: str | None = None) -> None:
    """A campaign's folder, with a report or with what is written in its place."""
    (folder / name).mkdir(parents=True)
    content = msgspec.json.encode(report()) if text is None else text.encode()
    (folder / name / "report.json").write_bytes(content)


def test_campaigns_of_a_folder_have_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that cannot be read is told, and hides no other; folders of other things are passed over."""
    saved(tmp_path, "b")
    saved(tmp_path, "a", "{")
    (tmp_path / "running").mkdir()
    (tmp_path / "running" / "checkpoint.json").write_text("{}")
    (tmp_path / "other").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "b")
    assert run(["show", str(tmp_path), "--format", "json"]) == 0
    campaigns = json.loads(capsys.readouterr().out)["campaigns"]
    assert [Path(each["folder"]).name for each in campaigns] == ["a", "b", "running"]
    assert "not a JSON report" in campaigns[0]["problem"]
    original = report()
    assert campaigns[1]["target"] == original.campaign.target
    assert campaigns[1]["failed"] == sum(test.status in ("falsified", "error") for test in original.tests)
    assert "has not come to its report" in campaigns[2]["problem"]
    assert run(["show", str(tmp_path)]) == 0
    assert "3 campaigns: 1 with a test that failed, 2 unknown" in capsys.readouterr().out


def test_a_folder_of_campaigns_is_no_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other formats and the dashboard ask for one of its folders, and name them."""
    saved(tmp_path, "one")
    for arguments in (["--report", f"sarif={tmp_path / 'out'}"], ["--dashboard"]):
        assert run(["show", str(tmp_path), *arguments]) == 2
        assert "one of" in capsys.readouterr().err
