"""The health of a campaign in text and HTML."""

from __future__ import annotations

import pytest

from orchestrator.report.html import render_html
from orchestrator.report.paint import Paint
from orchestrator.report.text import MAX_SHOWN, health_lines
from simulator.coverage.file_coverage import FileCoverage, LineCount
from simulator.health.model import CampaignHealth, Growth, HealthPoint

GROWTH = Growth(1_000, 400, 0.0, 120, 120.0, 120.0, 120.0, 0.0)
POINT = HealthPoint(
    "never-succeeded", "C.f() always reverts \u202e<b>", "let it\nbe", function="C.f()", file="src/C.sol", line=2
)
NOTE = HealthPoint("one-sided-branch", "`a < b` was never true", "reach it")


def lines(health: CampaignHealth) -> list[str]:
    return list(health_lines(health, Paint(color=False)))


def test_a_sound_campaign_takes_five_lines_at_most():
    health = CampaignHealth("sound", "all well", (NOTE,) * 20, GROWTH, ("all calls",))
    assert lines(health)[0] == "Health: sound"
    assert len(lines(health)) <= 5


def test_a_sound_verdict_that_rests_on_less_says_so():
    health = CampaignHealth("sound", "", (), None, ("all calls", "reasons were not looked at"))
    assert lines(health) == ["Health: sound", "  reasons were not looked at"]


def test_each_point_has_its_place_and_its_next_step_on_lines_of_its_own():
    found = lines(CampaignHealth("thin", "", (POINT,), None, ("all calls",)))
    assert found[1].startswith("  - src/C.sol:2: C.f() always reverts")
    assert "\u202e" not in "".join(found)
    assert found[2] == "    next: let it\\nbe"


def test_a_place_that_the_text_names_is_not_named_twice():
    point = HealthPoint(
        "never-succeeded", "C.f() always reverts: `no` at src/C.sol:2", "mend it", file="src/C.sol", line=2
    )
    assert lines(CampaignHealth("thin", "", (point,)))[1] == f"  - {point.text}"


def test_points_past_the_limit_are_counted():
    found = lines(CampaignHealth("thin", "", (POINT,) * (MAX_SHOWN + 3), None, ("all calls",), omitted=4))
    assert "  7 more in the JSON and HTML reports" in found


@pytest.mark.parametrize("verdict", ["sound", "thin", "vacuous"])
def test_the_page_shows_verdict_and_points_escaped_and_linked(verdict: str):
    file = FileCoverage("src/C.sol", "contract C {\n}\n", (LineCount(2, 0, "C"),))
    health = CampaignHealth(verdict, "1 of 2", (POINT, NOTE), GROWTH, ("all calls",))  # type: ignore[arg-type]
    page = render_html((file,), title="C", generated=0, health=health)
    assert f'<span class="{verdict}">{verdict}</span>' in page
    assert '<a href="#f0L2">src/C.sol:2</a>' in page
    assert "always reverts" in page
    assert "<b>never-succeeded</b>" in page
    assert "&lt;b&gt;" in page
    assert "\u202e" not in page


def test_a_page_without_health_has_no_section_of_it():
    assert 'id="health"' not in render_html((), title="C", generated=0)
