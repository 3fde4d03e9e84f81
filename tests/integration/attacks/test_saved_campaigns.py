"""Folders of campaigns and reports that somebody else wrote, as agents and the dashboard read them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from orchestrator.agents.comparing import ComparisonService
from orchestrator.dashboard.feed import frame
from orchestrator.dashboard.saved.reading import SavedEvent, SavedFolder
from orchestrator.dashboard.saved.story import Story
from orchestrator.dashboard.saved.tools import SavedTools
from tools.campaign.extensions.comparison import CompareInput
from tools.campaign.several import ServedCampaigns
from tools.errors import ToolError
from tools.roots import AllowedRoots

TIME = "2026-11-22T01:10:27.042Z"
HUGE = 10**400


@pytest.mark.parametrize("name", ["report.json", "corpus"])
async def test_a_report_is_not_compared_through_a_link_out_of_the_roots(tmp_path: Path, name: str):
    """Neither the folder nor the report in it; the refusal tells nothing of what the link leads to."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    (outside / "report.json").write_text("secret")
    (root / "own").mkdir(parents=True)
    (root / "own" / "report.json").symlink_to(outside / "report.json")
    (root / "corpus").symlink_to(outside)
    service = ComparisonService(AllowedRoots([root], root), ServedCampaigns())
    before = "corpus" if name == "corpus" else "own"
    with pytest.raises(ToolError, match="outside the allowed roots") as refused:
        await service.compare(CompareInput(before=before))
    assert str(outside) not in refused.value.message


@pytest.mark.parametrize(
    "event",
    [
        {"type": "TransactionExecuted", "calls": HUGE},
        {"type": "CoverageIncreased", "points": HUGE, "sequences": -HUGE},
        {"type": "PropertyFalsified", "test": HUGE, "property": [HUGE]},
        {"type": ["Steered"], "command": {"a": 1}},
    ],
)
def test_events_with_any_numbers_are_told(event: dict[str, object]):
    lines = [
        msgspec.json.decode(json.dumps({"cursor": 1, "time": TIME, "worker": 0, "event": each}), type=SavedEvent)
        for each in ({"type": "WorkerStarted"}, event)
    ]
    story = Story.of(lines)
    assert len(story.newest) == 2
    assert frame("timeline", story.timeline)
    assert frame("events", list(story.newest))


@pytest.mark.parametrize("named", ["id_rsa", "../../outside/id_rsa", "/etc/passwd", "..", "", "nul\0", "x" * 5_000])
def test_a_test_of_a_finding_is_read_from_the_folder_alone(tmp_path: Path, named: str):
    """A report may name any file, and a folder may be a link to anything."""
    outside, folder = tmp_path / "outside", tmp_path / "corpus"
    outside.mkdir()
    (outside / "id_rsa").write_text("secret")
    folder.mkdir()
    tools = SavedTools(SavedFolder(folder, None, None, ()))
    reported = SimpleNamespace(foundry_test=SimpleNamespace(path=named))
    assert tools._foundry_test(reported) is None
    (folder / "foundry").symlink_to(outside)
    assert tools._foundry_test(reported) is None
    (folder / "foundry").unlink()
    (folder / "foundry").mkdir()
    (folder / "foundry" / "id_rsa").symlink_to(outside / "id_rsa")
    assert tools._foundry_test(reported) is None
