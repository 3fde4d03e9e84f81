"""Costs of single instructions in straight-line programs: every dispatch foreseen, each result needed by the next one.

A cost is the difference between a program that repeats a unit and an empty one, less the known costs of the unit's
other instructions. In real code dispatches are not all foreseen, but chains are shorter; the profile shows what that
makes together as its remainder.
"""

from __future__ import annotations

import time

from simulator.evm.host import Host
from simulator.evm.machine import Machine
from simulator.evm.replay import MachineReplay, RecordedCall
from simulator.kernel_loader import load_kernel

REPEATS = 256
CALLS = 400
ROUNDS = 7
ADDRESS, SENDER = 0xC0DE, 0x10000
PRELUDE = "600360056007"  # three words for SWAP, DUP and arithmetic to work on
UNITS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("DUP", "8050", ("POP",)),
    ("SWAP", "90", ()),
    ("ADD, SUB", "8001", ("DUP",)),
    ("MUL", "8002", ("DUP",)),
    ("DIV, MOD", "8004", ("DUP",)),
    ("comparisons", "8010", ("DUP",)),
    ("bits", "8016", ("DUP",)),
    ("MLOAD, MSTORE", "80600052", ("DUP", "PUSH")),
    ("CALLDATALOAD", "35", ()),
    ("SLOAD", "54", ()),
    ("KECCAK256", "604060002050", ("PUSH", "PUSH", "POP")),
)


def measure_costs() -> dict[str, float]:
    """Nanoseconds of one instruction by group of `instruction_mix`. PUSH and POP share the cost of a pair."""
    machine = Machine(load_kernel(), Host)
    pair = _unit_cost(machine, "600150")
    costs = {"PUSH": pair / 2, "POP": pair / 2}
    for name, unit, others in UNITS:
        costs[name] = max(0.0, _unit_cost(machine, unit) - sum(costs[other] for other in others))
    # JUMP to the next instruction: the PUSH is folded into it, the JUMPDEST is its block's header.
    costs["JUMP"] = max(0.0, _program_cost(machine, _jumps()))
    return costs


def _unit_cost(machine: Machine, unit: str) -> float:
    return _program_cost(machine, bytes.fromhex(PRELUDE + unit * REPEATS) + b"\0")


def _jumps() -> bytes:
    start = len(PRELUDE) // 2
    steps = (b"\x61" + (start + 5 * n + 4).to_bytes(2, "big") + b"\x56\x5b" for n in range(REPEATS))
    return bytes.fromhex(PRELUDE) + b"".join(steps) + b"\0"


def _program_cost(machine: Machine, code: bytes) -> float:
    empty = bytes.fromhex(PRELUDE) + b"\0"
    return (_best_seconds(machine, code) - _best_seconds(machine, empty)) * 1e9 / (CALLS * REPEATS)


def _best_seconds(machine: Machine, code: bytes) -> float:
    machine.set_account(ADDRESS, code=code, nonce=1)
    replay = MachineReplay(machine, [RecordedCall(SENDER, ADDRESS, b"")] * CALLS)
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        replay.run()
        best = min(best, time.perf_counter() - began)
    return best
