"""`campaign_health`, and the health that `status` tells, over a campaign with fake workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio

from tests.support.campaign_bench import Bench, campaign_bench
from tests.support.patience import PATIENCE, until


async def health_of(bench: Bench, **arguments: object) -> dict[str, Any]:
    """The answer, however long a busy machine takes to work it out."""
    with trio.fail_after(PATIENCE):
        while (rendered := await bench.dispatcher.call("campaign_health", arguments)).is_error:
            assert "BUSY" in rendered.text
    assert rendered.structured is not None
    return rendered.structured


async def test_the_health_is_told_with_its_points_and_their_next_steps(tmp_path: Path):
    async with campaign_bench(tmp_path) as bench:
        await until(lambda: bench.parts.campaign.status().calls > 0)
        answer = await health_of(bench, limit=1)
        assert answer["verdict"] in ("sound", "thin", "vacuous")
        assert len(answer["points"]) <= 1
        assert answer["calls"] > 0
        for point in answer["points"]:
            assert point["text"]
            assert point["nextStep"]


async def test_status_tells_the_verdict_once_it_is_known(tmp_path: Path):
    async with campaign_bench(tmp_path) as bench:
        await health_of(bench)
        health = (await bench.ask("status"))["health"]
        assert health["verdict"] in ("sound", "thin", "vacuous")
        assert health["weakening"] >= 0


async def test_a_campaign_that_has_made_no_call_is_not_sound(tmp_path: Path):
    async with campaign_bench(tmp_path, running=False) as bench:
        answer = await health_of(bench)
        assert answer["calls"] == 0
        assert any("no worker has reported" in text for text in answer["lookedAt"])
