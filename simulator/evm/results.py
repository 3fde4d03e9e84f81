"""Results of a transaction, and of a frame that the host ran."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from simulator.evm.kernel import status


class Status(IntEnum):
    """Ending of a frame. STOP and RETURN are success; only REVERT keeps the gas that is left."""

    STOP = status.STOP
    RETURN = status.RETURN
    REVERT = status.REVERT
    OUT_OF_GAS = status.OUT_OF_GAS
    INVALID_OPCODE = status.INVALID_OPCODE
    UNKNOWN_OPCODE = status.UNKNOWN_OPCODE
    BAD_JUMP = status.BAD_JUMP
    STACK_UNDERFLOW = status.STACK_UNDERFLOW
    STACK_OVERFLOW = status.STACK_OVERFLOW
    STATIC_VIOLATION = status.STATIC_VIOLATION
    RETURNDATA_OUT_OF_BOUNDS = status.RETURNDATA_OUT_OF_BOUNDS
    CREATE_COLLISION = status.CREATE_COLLISION
    CODE_TOO_LARGE = status.CODE_TOO_LARGE
    INVALID_CODE = status.INVALID_CODE
    INITCODE_TOO_LARGE = status.INITCODE_TOO_LARGE
    PRECOMPILE_FAILURE = status.PRECOMPILE_FAILURE
    ARENA_EXHAUSTED = status.ARENA_EXHAUSTED

    @property
    def success(self) -> bool:
        return self <= Status.RETURN

    @property
    def text(self) -> str:
        """For readers: `success`, `reverted`, `out of gas`, ..."""
        match self:
            case Status.STOP | Status.RETURN:
                return "success"
            case Status.REVERT:
                return "reverted"
            case Status.INVALID_OPCODE:
                return "invalid opcode 0xfe"
            case _:
                return self.name.lower().replace("_", " ")


class HostAnswer:
    """Ending of a frame that the host ran; it costs no gas."""

    def __init__(self, output: bytes = b"", *, reverted: bool = False) -> None:
        self.output = output
        self.reverted = reverted


@dataclass(frozen=True)
class EmittedLog:
    """One event. `address` and `topics` are integers; `depth` is the call depth of the frame that emitted it."""

    address: int
    topics: tuple[int, ...]
    data: bytes
    depth: int = 0


@dataclass(frozen=True)
class Result:
    """`gas_used` is what execution took, refund not subtracted; `refund` is the counter, not capped."""

    status: Status
    output: bytes
    gas_used: int
    refund: int
    logs: tuple[EmittedLog, ...]
    created: int | None = None

    @property
    def success(self) -> bool:
        return self.status.success
