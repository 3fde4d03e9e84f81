"""Benches for tests of cheatcodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.cheatcodes import ECHIDNA_RULES, FORGE_RULES, CheatcodeRules, install_cheatcodes
from simulator.compile import CompileOptions, compile_targets
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.kernel_loader import load_kernel
from simulator.project import Project
from tests.support.cheatcode_bench import Bench

CONTRACTS = Path(__file__).with_name("contracts")


@pytest.fixture(scope="session")
def kernel() -> Kernel:
    return load_kernel()


@pytest.fixture(scope="session")
def project() -> Project:
    """All contracts of the `contracts` folder."""
    return compile_targets(sorted(CONTRACTS.glob("*.sol")), CompileOptions(solc_version="0.8.30"))


MakeBench = Callable[..., Bench]


@pytest.fixture
def make_bench(kernel: Kernel) -> MakeBench:
    def make(project: Project, *, allow_ffi: bool = False, rules: CheatcodeRules = ECHIDNA_RULES) -> Bench:
        machine = Machine(kernel, Host)
        warnings: list[str] = []
        cheatcodes = install_cheatcodes(machine, project, allow_ffi=allow_ffi, warn=warnings.append, rules=rules)
        return Bench(machine, cheatcodes, project, warnings)

    return make


@pytest.fixture
def bench(make_bench: MakeBench) -> Bench:
    """Without any contract: for calls straight to the cheatcodes."""
    return make_bench(Project("/", ()))


def _deployer(make_bench: MakeBench, project: Project, rules: CheatcodeRules) -> Callable[[str], Bench]:
    def deploy(name: str) -> Bench:
        bench = make_bench(project, rules=rules)
        bench.deploy(name)
        return bench

    return deploy


@pytest.fixture
def deployed(make_bench: MakeBench, project: Project) -> Callable[[str], Bench]:
    """`deployed("Pranks")`: a machine where that contract stands."""
    return _deployer(make_bench, project, ECHIDNA_RULES)


@pytest.fixture
def like_forge(make_bench: MakeBench, project: Project) -> Callable[[str], Bench]:
    """The same under forge's rules."""
    return _deployer(make_bench, project, FORGE_RULES)
