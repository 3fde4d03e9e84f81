"""Calls of a saved campaign as people read them: from the signatures of its functions, as the folder has no ABI."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.text import format_call, format_raw
from simulator.abi.types import Tuple, parse_type_text
from simulator.errors import AbiError
from simulator.transaction import Transaction
from tools.campaign.extensions.findings import FindingCall

WAIT = "*wait*"


class CallTexts:
    """`functions` are contract and signature. A selector of several contracts is that of the first."""

    def __init__(self, functions: Iterable[tuple[str, str]]) -> None:
        self._functions: dict[bytes, tuple[str, Function]] = {}
        for contract, signature in functions:
            function = _function(signature)
            if function is not None:
                self._functions.setdefault(function.selector, (contract, function))
        self._abi = ContractAbi(tuple(function for _, function in self._functions.values()))

    def abi_of(self, _address: bytes) -> ContractAbi | None:
        """All functions, whatever the address: for writing sequences."""
        return self._abi

    def text(self, call: Transaction) -> str:
        if call.is_wait:
            return WAIT
        known = self._functions.get(call.data[:4])
        return format_call(known[1], call.data) if known is not None else f"*fallback*({format_raw(call.data)})"

    def is_named(self, call: Transaction, name: str) -> bool:
        """Return whether a search for a bare name or a signature means this call."""
        known = None if call.is_wait else self._functions.get(call.data[:4])
        return known is not None and name in (known[1].signature, known[1].name)

    def call(self, call: Transaction) -> FindingCall:
        known = None if call.is_wait else self._functions.get(call.data[:4])
        return FindingCall(
            call=self.text(call),
            contract=known[0] if known is not None else (f"0x{call.to.hex()}" if call.to else ""),
            sender=f"0x{call.sender.hex()}",
            value=str(call.wei),
            delay_seconds=call.seconds,
            delay_blocks=call.blocks,
        )


def _function(signature: str) -> Function | None:
    """None for a signature whose types are not written out, as a library's."""
    name, _, types = signature.partition("(")
    try:
        inputs = parse_type_text(f"({types}")
    except AbiError:
        return None
    return Function(name, inputs) if isinstance(inputs, Tuple) else None
