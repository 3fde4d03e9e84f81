"""Several campaigns of one program, as the page lists them."""

from __future__ import annotations

from pathlib import Path

from orchestrator.dashboard.live import LiveCampaign
from orchestrator.dashboard.state import CampaignLine
from orchestrator.dashboard.visitors import Visitors
from tests.support.campaign_bench import campaign_bench


def test_one_campaign_has_no_overview():
    assert Visitors().overview(CampaignLine("A.sol:A", "running")) == ()


def test_campaigns_that_ended_come_first_and_those_that_wait_last():
    visitors = Visitors(("A.sol:A", "B.sol:B", "C.sol:C"))
    visitors.earlier.append(CampaignLine("A.sol:A", "ended", 2, 1))
    lines = visitors.overview(CampaignLine("B.sol:B", "running"))
    assert [(line.target, line.state) for line in lines] == [
        ("A.sol:A", "ended"),
        ("B.sol:B", "running"),
        ("C.sol:C", "waiting"),
    ]


async def test_what_came_of_a_campaign_stays_when_the_next_one_begins(tmp_path: Path):
    visitors = Visitors()
    async with campaign_bench(tmp_path) as first:
        one = LiveCampaign(first.access, first.command_log, lambda: 0.0, visitors)
        one.end()
    async with campaign_bench(tmp_path) as second:
        other = LiveCampaign(second.access, second.command_log, lambda: 0.0, visitors)
        other._tick()
        page = other.opening("").decode()
    assert [line.state for line in visitors.earlier] == ["ended"]
    assert '"state":"ended"' in page
    assert page.count('"target":"Token.sol:Token"') == 3
