"""Cheatcodes that the kernel serves itself do what the host does."""

from __future__ import annotations

import random

import pytest

from simulator.abi.hashing import selector
from simulator.cheatcodes import ECHIDNA_RULES, FORGE_RULES, CheatcodeRules
from simulator.compile import CompileOptions, compile_targets
from simulator.evm.host import Host
from simulator.evm.kernel import status
from simulator.evm.kernel.calls import cheatcodes as native
from simulator.project import Project
from tests.simulator.cheatcodes.conftest import CONTRACTS, MakeBench
from tests.support.cheatcode_bench import Bench

CALLS = 400
ACTORS = range(0xA11CE, 0xA11CE + 3)


@pytest.fixture(scope="module")
def steps() -> Project:
    """Alone, because contracts that ask for the gas of their last call have every frame watched."""
    return compile_targets([CONTRACTS / "native" / "Steps.sol"], CompileOptions(solc_version="0.8.30"))


def observed(bench: Bench, made: list[int]) -> list[object]:
    """One transaction, and all that the next ones can see of it."""
    machine = bench.machine
    result = bench.call("run", made)
    pranks = [machine.context.pranks[index] for index in range(machine.context.prank_count)]
    return [
        result,
        [(each.depth, each.flags, each.caller, each.origin) for each in pranks if each.depth],
        [machine.get_balance(each) for each in ACTORS],
        (machine.timestamp, machine.number, machine.context.rejected),
    ]


@pytest.mark.parametrize("rules", [ECHIDNA_RULES, FORGE_RULES], ids=["echidna", "forge"])
def test_transactions_are_the_same_with_and_without(
    make_bench: MakeBench, steps: Project, rules: CheatcodeRules
) -> None:
    """Pranks left open, undone, used up or in each other's way; frames that fail; whole transactions that do."""
    served, hosted = make_bench(steps, rules=rules), make_bench(steps, rules=rules)
    hosted.machine.context.native_cheatcodes = False
    for bench in (served, hosted):
        bench.deploy("Steps")
    marks = [bench.machine.mark() for bench in (served, hosted)]
    chance = random.Random(1)
    for _ in range(CALLS):
        made = [chance.randrange(18) for _ in range(chance.randrange(1, 10))]
        if chance.randrange(8) == 0:
            for bench, mark in zip((served, hosted), marks, strict=True):
                bench.machine.rollback(mark)
        assert observed(served, made) == observed(hosted, made), made


def test_usual_cheatcodes_need_no_host(make_bench: MakeBench, steps: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prank is begun, used, begun for long and stopped; time passes; what is asserted holds."""
    bench = make_bench(steps, rules=FORGE_RULES)
    bench.deploy("Steps")
    served: list[int] = []
    serve = Host.serve

    def counting(host: Host) -> None:
        served.append(bench.machine.context.exit_reason)
        serve(host)

    monkeypatch.setattr(Host, "serve", counting)
    assert bench.call("run", [0, 15, 1, 15, 2, 3, 4, 5, 8, 9, 11]).success
    assert status.EXIT_CHEATCODE not in served
    assert status.EXIT_TRACE_RETURN not in served


def test_selectors_are_those_of_the_interface() -> None:
    """Written as numbers, because the kernel knows no hash of a text."""
    named = {
        "PRANK": "prank(address)",
        "START_PRANK": "startPrank(address)",
        "STOP_PRANK": "stopPrank()",
        "WARP": "warp(uint256)",
        "ROLL": "roll(uint256)",
        "DEAL": "deal(address,uint256)",
        "ASSUME": "assume(bool)",
        "ASSERT_TRUE": "assertTrue(bool)",
        "ASSERT_FALSE": "assertFalse(bool)",
        "ASSERT_EQ_BYTES32": "assertEq(bytes32,bytes32)",
        "ASSERT_NOT_EQ_UINT": "assertNotEq(uint256,uint256)",
    }
    for kind, short in (("uint256", "UINT"), ("int256", "INT")):
        named |= {f"ASSERT_{each.upper()}_{short}": f"assert{each}({kind},{kind})" for each in ("Lt", "Le", "Gt", "Ge")}
        named[f"ASSERT_EQ_{short}"] = f"assertEq({kind},{kind})"
    for name, signature in named.items():
        assert getattr(native, name) == int.from_bytes(selector(signature), "big"), signature
