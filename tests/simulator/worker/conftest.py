"""Worker processes, and frames that set them up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from simulator.compile import CompileOptions, compile_targets
from simulator.settings import CampaignSettings
from simulator.worker.commands import Setup
from tests.support.worker_peer import WorkerPeer


@pytest.fixture
def peer() -> Iterator[WorkerPeer]:
    peer = WorkerPeer()
    yield peer
    peer.close()


@pytest.fixture
def setup_frame(request: pytest.FixtureRequest, tmp_path: Path) -> Setup:
    """The first contract of the test module's `SOURCE`."""
    path = tmp_path / "Target.sol"
    path.write_text(request.module.SOURCE)
    project = compile_targets([path], CompileOptions())
    file = tmp_path / "project.msgpack"
    file.write_bytes(msgspec.msgpack.encode(project))
    return Setup(0, 1, os.fsencode(file), CampaignSettings(contract=project.contracts[0].full_name))
