"""The build tools over a real process runner."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from tests.support.build_bench import BuildBench, make_bench


@pytest.fixture
async def bench(tmp_path: Path, nursery: trio.Nursery) -> BuildBench:
    return await make_bench(tmp_path, nursery)
