"""The call tree of one executed transaction, as the tracer of the EVM records it and the renderer prints it.

Items keep the order of execution: a log that precedes a nested call stands before it, also when one of both is later
undone by a revert.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CallKind = Literal["CALL", "STATICCALL", "DELEGATECALL", "CALLCODE", "CREATE", "CREATE2"]


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One LOG0..LOG4: the emitting account (20 bytes), up to four topics of 32 bytes, the data."""

    address: bytes
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class ConsoleMessage:
    """One decoded `console.log` line."""

    text: str


@dataclass(frozen=True, slots=True)
class CallNode:
    """One frame of execution.

    Addresses are 20 bytes. `to` is the account the frame acts as, for creations the created account (empty when the
    creation failed before an address existed). `code_address` is the account whose code runs: it differs from `to`
    for DELEGATECALL and CALLCODE. `value` is wei. `input` is calldata, or the creation code; `output` is return or
    revert data, or the deployed code. `status` says how the frame ended in a person's words, such as `reverted` or
    `out of gas`. `gas` is what the frame was given, `gas_used` what it consumed including nested frames.
    """

    kind: CallKind
    sender: bytes
    to: bytes
    code_address: bytes
    value: int
    gas: int
    gas_used: int
    input: bytes
    output: bytes
    success: bool
    status: str
    items: tuple[TraceItem, ...] = ()

    @property
    def is_creation(self) -> bool:
        return self.kind in ("CREATE", "CREATE2")


TraceItem = CallNode | LogRecord | ConsoleMessage
