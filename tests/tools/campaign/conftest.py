"""A campaign with two fake workers, and the tools over it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.campaign_bench import Bench, campaign_bench


@pytest.fixture
async def bench(tmp_path: Path, nursery: object) -> AsyncIterator[Bench]:
    async with campaign_bench(tmp_path, workers=2) as made:
        yield made
