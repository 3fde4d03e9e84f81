"""Several campaigns of one program, as the page lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.dashboard.live import LiveCampaign
from orchestrator.dashboard.several import LiveCampaigns, SteadyCampaign
from orchestrator.dashboard.state import CampaignLine
from orchestrator.dashboard.visitors import Visitors
from tests.support.campaign_bench import campaign_bench
from tools.campaign.access import CampaignAccess
from tools.campaign.several import ServedCampaigns
from tools.command_log import CommandLog
from tools.errors import ToolError

LOG = CommandLog(lambda: 0.0)


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


async def test_a_campaign_that_could_not_begin_is_listed_with_its_reason_and_its_page_names_it():
    campaigns = ServedCampaigns()
    failed, compiling = campaigns.begin("A.sol"), campaigns.begin("B.sol")
    CampaignAccess(place=failed).settle("no contract 'A' in the target")
    CampaignAccess(place=compiling).prepare("compiling")
    live = LiveCampaigns(campaigns, lambda access, listed: LiveCampaign(access, LOG, lambda: 0.0, None, listed))
    lines = [(line.id, line.target, line.state, line.phase, line.problem) for line in live.lines()]
    assert lines == [
        ("c1", "A.sol", "ended", "failed", "no contract 'A' in the target"),
        ("c2", "B.sol", "running", "compiling", ""),
    ]
    page = live.find("c1").opening("").decode()
    assert '"phase":"failed"' in page
    assert '"campaign":"c1"' in page
    with pytest.raises(ToolError, match="there is no campaign 'c9'"):
        live.find("c9")


def test_a_page_that_names_no_campaign_stays_with_its_campaign_until_that_has_ended():
    campaigns = ServedCampaigns()
    steady = SteadyCampaign(campaigns)
    first = campaigns.begin()
    CampaignAccess(place=first).prepare("compiling")
    assert steady.place is first
    second = campaigns.begin()
    CampaignAccess(place=second).prepare("compiling")
    assert steady.place is first
    CampaignAccess(place=first).settle("")
    assert steady.place is second
