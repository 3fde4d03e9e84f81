"""Real workers for tests of the fuzz loop: compiled Solidity on the compiled kernel, in this process."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from simulator.compile import CompileOptions, choose_contract, compile_targets
from simulator.fuzz.sharing.shared_memory import SharedMemory
from simulator.settings import CampaignSettings
from simulator.worker.commands import Setup
from simulator.worker.setup import Worker, build_worker

MakeWorker = Callable[..., Worker]


@pytest.fixture
def make_worker(tmp_path: Path) -> MakeWorker:
    """Deploy a contract given as source text: `make_worker(source, seed=1, test_mode="assertion", ...)`."""

    def make(
        source: str,
        contract: str | None = None,
        seed: int = 1,
        warn: Callable[[str], None] = lambda _: None,
        memory: SharedMemory | None = None,
        solc_args: tuple[str, ...] = (),
        **settings: object,
    ) -> Worker:
        path = tmp_path / "Target.sol"
        path.write_text("// SPDX-License-Identifier: Apache-2.0\npragma solidity 0.8.30;\n" + source)
        project = compile_targets([path], CompileOptions(solc_version="0.8.30", solc_args=solc_args))
        file = tmp_path / "project.msgpack"
        file.write_bytes(msgspec.msgpack.encode(project))
        name = choose_contract(project, contract).contract.full_name
        frame = Setup(0, seed, os.fsencode(file), CampaignSettings(contract=name, **settings))  # type: ignore[arg-type]
        return build_worker(frame, warn, memory)

    return make
