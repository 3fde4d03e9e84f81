"""The build tools over a real process runner."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from build_bench import BuildBench, make_bench


@pytest.fixture
async def bench(tmp_path: Path, nursery: trio.Nursery) -> BuildBench:
    return await make_bench(tmp_path, nursery)
