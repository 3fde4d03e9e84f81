"""Forks as state tests name them: plain ones, `Cancun+3855` with EIPs, and `ShanghaiToCancunAtTime15k` between two."""

from __future__ import annotations

import re

from simulator.errors import TargetError
from simulator.evm.statetest.cases import BlockInput
from simulator.forks import Fork, fork_named

_TRANSITION = re.compile(r"(\w+?)To(\w+?)At(Time)?(\d{1,18})(k?)", re.IGNORECASE)
# From which fork on an EIP is part of the rules; those that tests name in addition to a fork.
_EIPS = {
    1344: "istanbul",
    1884: "istanbul",
    2200: "istanbul",
    2929: "berlin",
    2930: "berlin",
    1559: "london",
    3198: "london",
    3529: "london",
    3541: "london",
    3651: "shanghai",
    3855: "shanghai",
    3860: "shanghai",
    1153: "cancun",
    4844: "cancun",
    5656: "cancun",
    6780: "cancun",
    7516: "cancun",
    2537: "prague",
    7623: "prague",
    7702: "prague",
    7823: "osaka",
    7825: "osaka",
    7883: "osaka",
    7939: "osaka",
    7951: "osaka",
}


def fork_of_test(name: str, block: BlockInput) -> Fork:
    """The rules of a block under a fork name. Raises `TargetError` when they are not known."""
    if match := _TRANSITION.fullmatch(name):
        before, after, by_time, number, thousands = match.groups()
        reached = block.timestamp if by_time else block.number
        limit = int(number) * (1000 if thousands else 1)
        forks = fork_named(before), fork_named(after)
        return forks[reached >= limit]
    base, *eips = name.split("+")
    if not eips or name.lower() == "london+merge":
        return fork_named(name)
    fork = fork_named(base)
    for eip in eips:
        if not eip.isdecimal() or (first := _EIPS.get(int(eip))) is None or fork.order < fork_named(first).order:
            raise TargetError(f"{name}: rules of EIP {eip} in addition to those of {fork.name} are not known")
    return fork


def require_fork(name: str) -> None:
    """Raise `TargetError` when no block could be of this fork."""
    fork_of_test(name, BlockInput(0, 0, 0, 0, 0, None, None, None))


def usual_name(name: str) -> str:
    """One name for each fork, whatever its case and of its names."""
    try:
        return fork_named(name).name
    except TargetError:
        return name.lower()
