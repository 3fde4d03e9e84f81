"""Record of a test, call by call: contracts created, calls that accounts made, and the time between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from simulator.abi.hashing import selector
from simulator.evm.addresses import CHEATCODE_ADDRESS
from simulator.evm.tracer import CallNode
from simulator.project import Contract
from simulator.transaction import SELECTOR_SIZE

_WARP, _ROLL = selector("warp(uint256)"), selector("roll(uint256)")
_CREATIONS = ("CREATE", "CREATE2")
_LAST_TIME = (1 << 63) - 1


@dataclass(frozen=True)
class RecordedCall:
    """A call that was made from outside of what is fuzzed. Addresses are integers; `seconds` and `blocks` passed since
    the call before."""

    sender: int
    to: int
    data: bytes
    value: int
    seconds: int
    blocks: int


@dataclass
class Recording:
    """`instances` are the created accounts whose contract is known, in their order, and `creators` who made them."""

    calls: list[RecordedCall] = field(default_factory=list)
    instances: dict[int, Contract] = field(default_factory=dict)
    creators: dict[int, int] = field(default_factory=dict)


Wanted = Callable[[CallNode, Contract | None], bool]
"""Whether a call, to an account of that contract, is taken; what it leads to is then no call of the test's."""


def record(
    roots: Iterable[CallNode],
    contract_of: Callable[[bytes], Contract | None],
    is_wanted: Wanted,
    began: tuple[int, int],
) -> Recording:
    """The calls below `roots` that are wanted, in order. `began` are timestamp and number of the first block."""
    recording = Recording()
    last = list(began)
    now = list(began)
    for frame in _in_order(roots, lambda frame: is_wanted(frame, recording.instances.get(frame.to))):
        if frame.kind in _CREATIONS:
            recording.creators[frame.to] = frame.sender
            if frame.status.success and (contract := contract_of(frame.output)) is not None:
                recording.instances[frame.to] = contract
        elif frame.to == CHEATCODE_ADDRESS:
            _tell_time(frame.input, now)
        elif frame.kind == "CALL" and is_wanted(frame, recording.instances.get(frame.to)):
            passed = [max(0, each - before) for each, before in zip(now, last, strict=True)]
            recording.calls.append(RecordedCall(frame.sender, frame.to, frame.input, frame.value, *passed))
            last[:] = now
    return recording


def _in_order(roots: Iterable[CallNode], is_closed: Callable[[CallNode], bool]) -> Iterator[CallNode]:
    """Frames as they began; without what views call, and below what `is_closed`. Frames nest deeper than Python's stack
    allows."""
    pending = list(reversed(list(roots)))
    while pending:
        frame = pending.pop()
        yield frame
        if frame.kind != "STATICCALL" and not (frame.kind == "CALL" and is_closed(frame)):
            pending.extend(reversed(frame.children))


def _tell_time(data: bytes, now: list[int]) -> None:
    if len(data) == SELECTOR_SIZE + 32:
        moment = min(int.from_bytes(data[SELECTOR_SIZE:], "big"), _LAST_TIME)
        if data.startswith(_WARP):
            now[0] = moment
        elif data.startswith(_ROLL):
            now[1] = moment
