"""Forks of live chains, of which a campaign has one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.cheatcodes import install_cheatcodes
from simulator.evm.host import Host
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.forked_block import ForkedBlock
from simulator.project import Project
from simulator.settings import ForkSettings
from tests.support.cheatcode_bench import Bench, reason

BLOCK = ForkedBlock(1, 100, 32 * b"\xab", 1, bytes(20), bytes(32), 1, bytes(32), bytes(32))
FORK = ForkSettings("https://a.example/key,https://b.example", BLOCK, b"")


@pytest.fixture
def forked(kernel: Kernel) -> Bench:
    machine = Machine(kernel, Host)
    warnings: list[str] = []
    cheatcodes = install_cheatcodes(machine, Project("/", ()), allow_ffi=False, warn=warnings.append, fork=FORK)
    return Bench(machine, cheatcodes, Project("/", ()), warnings)


def test_the_campaigns_fork_is_granted(forked: Bench) -> None:
    """By its URL, or by an alias, which is told; at its block or at none. It has the number 0, and is on."""
    assert forked.vm("createSelectFork(string,uint256)", "https://b.example", 100) == 0
    assert forked.vm("createFork(string)", "mainnet") == forked.vm("createFork(string)", "mainnet") == 0
    assert forked.vm("createSelectFork(string)", str(forked.vm("rpcUrl(string)", "mainnet"))) == 0
    assert forked.vm("createFork(string,uint256)", "mainnet", 100) == forked.vm("activeFork()") == 0
    forked.vm("selectFork(uint256)", 0)
    forked.vm("rollFork(uint256)", 100)
    forked.vm("rollFork(uint256,uint256)", 0, 100)
    forked.vm("makePersistent(address)", 5)
    assert forked.vm("isPersistent(address)", 5) is True
    assert forked.warnings == [
        "vm.createFork: 'mainnet' is taken for the campaign's fork, chain 1, block 100 (0xabababab…)",
        "vm.createSelectFork: 'mainnet' is taken for the campaign's fork, chain 1, block 100 (0xabababab…)",
    ]


@pytest.mark.parametrize(
    ("signature", "arguments", "text"),
    [
        ("createFork(string,uint256)", ("mainnet", 7), "vm.createFork: the campaign forks block 100; no other one is"),
        (
            "rollFork(uint256)",
            (7,),
            "vm.rollFork: the campaign forks block 100; no other one is supported: set",
        ),
        (
            "createSelectFork(string)",
            ("https://c.example/hush",),
            "vm.createSelectFork: the campaign forks the chain",
        ),
        ("createFork(string,bytes32)", ("mainnet", bytes(32)), "the cheatcode vm.createFork(string,bytes32) is not"),
        ("rpc(string,string)", ("eth_chainId", "[]"), "the cheatcode vm.rpc(string,string) is not supported"),
    ],
)
def test_another_fork_is_named_once_as_unsupported(
    forked: Bench, signature: str, arguments: tuple[object, ...], text: str
) -> None:
    """The transaction proves nothing then, and no key is repeated."""
    for _ in range(2):
        result = forked.raw(signature, *arguments)  # type: ignore[arg-type]
        assert reason(result).startswith(text)
        assert forked.machine.context.rejected != 0
    (warning,) = [each for each in forked.warnings if "is taken for" not in each]
    assert warning == reason(result)
    assert "hush" not in warning


@pytest.mark.parametrize(
    ("signature", "arguments", "text"),
    [
        ("selectFork(uint256)", (3,), "vm.selectFork: there is no fork 3"),
        ("createFork(string)", ("ftp://x",), "vm.createFork: rpcUrl: URL 1 is not of the right form"),
    ],
)
def test_a_wrong_use_reverts(forked: Bench, signature: str, arguments: tuple[object, ...], text: str) -> None:
    """As in forge."""
    assert reason(forked.raw(signature, *arguments)).startswith(text)  # type: ignore[arg-type]


def test_without_a_chain_forks_are_not_supported(make_bench: Callable[..., Bench]) -> None:
    """The warning says what to set."""
    bench = make_bench(Project("/", ()))
    assert not bench.raw("activeFork()").success
    assert bench.warnings == ["the cheatcode vm.activeFork() is not supported without rpcUrl"]
