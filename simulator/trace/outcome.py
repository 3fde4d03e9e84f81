"""How a frame that failed is described."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.abi.contract import CustomError
from simulator.abi.reasons import decode_reason


def describe_failure(status: str, output: bytes, errors: Mapping[bytes, CustomError]) -> str:
    """`[Revert] reason` for a revert, which `status` then says; else the status itself in brackets."""
    if status.lower().startswith("revert"):
        return f"[Revert] {decode_reason(output, errors).text}"
    return f"[{status}]"
