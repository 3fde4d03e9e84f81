"""The same on the kernel's plain twin, which checks every address."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.cheatcodes import install_cheatcodes
from simulator.evm.host import Host
from simulator.evm.machine import Machine
from simulator.kernel_loader import plain_kernel
from simulator.project import Project
from tests.support.cheatcode_bench import Bench

Deploy = Callable[[str], Bench]


@pytest.mark.parametrize(
    ("contract", "function"),
    [
        ("Pranks", "creates"),
        ("Pranks", "withOrigin"),
        ("Expectations", "revertOfCreation"),
        ("Expectations", "emitWrong"),
        ("Tools", "mocked"),
        ("Tools", "recorded"),
        ("Tools", "snapshots"),
        ("Tools", "deploys"),
    ],
)
def test_both_kernels_agree(deployed: Deploy, project: Project, contract: str, function: str) -> None:
    """Status, output and gas of a transaction full of cheatcodes are equal."""
    machine = Machine(plain_kernel(), Host)
    plain = Bench(machine, install_cheatcodes(machine, project, allow_ffi=False, warn=print), project)
    plain.deploy(contract)
    assert plain.call(function) == deployed(contract).call(function)
