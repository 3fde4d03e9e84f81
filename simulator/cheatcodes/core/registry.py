"""Registry of cheatcodes: handlers by signature, and the names of those without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeVar, cast

from simulator.abi.codec import decode, encode
from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import selector
from simulator.abi.types import AbiType, Tuple, Value, parse_type_text
from simulator.cheatcodes.core.interface import INTERFACE
from simulator.errors import AbiError
from simulator.project import Project

Handler = Callable[..., object]
Function = TypeVar("Function", bound=Handler)
_handlers: dict[str, Handler] = {}


def cheatcode(*signatures: str) -> Callable[[Function], Function]:
    """Let a function answer calls with these signatures. It is called with the `Session` and the decoded arguments, and
    returns None, one value, or a tuple when the interface names several return values."""

    def register(function: Function) -> Function:
        for signature in signatures:
            if signature in _handlers or signature not in interface():
                raise ValueError(f"{signature} has a handler already or is not in the interface")
            _handlers[signature] = function
        return function

    return register


@dataclass(frozen=True)
class Cheatcode:
    """A cheatcode that is supported."""

    signature: str
    handler: Handler

    @cached_property
    def inputs(self) -> tuple[AbiType, ...]:
        return members_of(self.signature[self.signature.index("(") :])

    @cached_property
    def outputs(self) -> tuple[AbiType, ...]:
        return members_of(interface()[self.signature])

    def decode(self, data: bytes) -> tuple[Value, ...]:
        """The arguments in calldata, selector included. Raises `AbiError`."""
        return decode(self.inputs, data[4:], strict=False)

    def encode(self, result: object) -> bytes:
        """Encode what the handler returned as the call's output."""
        if not self.outputs:
            return b""
        values = cast("tuple[Value, ...]", result if len(self.outputs) > 1 else (result,))
        return encode(self.outputs, values)


def members_of(text: str) -> tuple[AbiType, ...]:
    """The types in `(uint256,bytes)`; none in an empty text."""
    if not text or text == "()":
        return ()
    return cast("Tuple", parse_type_text(text)).members


@cache
def interface() -> Mapping[str, str]:
    """Return types, as text, of every function of the interface by its signature."""
    functions: dict[str, str] = {}
    name = ""
    for line in INTERFACE.splitlines():
        first, *overloads = line.split()
        if line.startswith(" "):
            overloads.insert(0, first)
        else:
            name = first
        for overload in overloads:
            end = _end_of_arguments(overload)
            functions[name + overload[:end]] = overload[end:]
    return functions


def _end_of_arguments(overload: str) -> int:
    depth = 0
    for position, character in enumerate(overload):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return position + 1
    raise ValueError(f"unbalanced parentheses in {overload}")


def registered() -> dict[bytes, Cheatcode]:
    """Every cheatcode whose handler has been imported, by selector."""
    return {selector(signature): Cheatcode(signature, handler) for signature, handler in _handlers.items()}


@cache
def _known() -> Mapping[bytes, str]:
    return {selector(signature): signature for signature in interface()}


def signature_of(data: bytes) -> str:
    """The signature that calldata belongs to, supported or not; its selector as hex when nothing has it."""
    return _known().get(data[:4], f"0x{data[:4].hex()}")


def meant_selectors(project: Project) -> frozenset[bytes]:
    """Selectors of the known cheatcodes, and of all functions in the project's interfaces that declare one of them."""
    meant = set(_known())
    for contract in project.contracts:
        if contract.kind == "interface":
            with suppress(AbiError):
                declared = ContractAbi.from_json(contract.abi).by_selector
                meant.update(declared if not _known().keys().isdisjoint(declared) else ())
    return frozenset(meant)
