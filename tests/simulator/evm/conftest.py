"""Kernels and machines for the EVM's tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.evm.assembly import assemble
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.evm.results import Result
from simulator.kernel_loader import load_kernel, plain_kernel

SENDER = 0xAAAA
CONTRACT = 0xC0DE


@pytest.fixture(scope="session")
def compiled() -> Kernel:
    """The compiled kernel, built once per version of its sources."""
    return load_kernel()


@pytest.fixture(scope="session")
def plain() -> Kernel:
    """The same kernel as plain Python, which checks every address."""
    return plain_kernel()


@pytest.fixture(params=["compiled", "plain"])
def kernel(request: pytest.FixtureRequest) -> Kernel:
    """Both kernels, one after the other."""
    chosen: Kernel = request.getfixturevalue(request.param)
    return chosen


Execute = Callable[..., Result]


@pytest.fixture
def execute(kernel: Kernel) -> Execute:
    """Run a program given as assembly, on a new machine: `execute("5 3 ADD ...", data=b"", fork="cancun")`."""

    def run(text: str, *, data: bytes = b"", value: int = 0, gas: int = 1_000_000, fork: str = "cancun") -> Result:
        machine = Machine(kernel, Host, fork=fork)
        machine.set_account(CONTRACT, code=assemble(text))
        return machine.transact(sender=SENDER, to=CONTRACT, data=data, value=value, gas=gas)

    return run
