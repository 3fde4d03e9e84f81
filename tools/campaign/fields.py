"""Types of arguments that campaign tools share: what is allowed, and the normal form that is worked with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from simulator.abi.types import parse_type_text
from simulator.errors import AbiError
from simulator.transaction import WORD_MAX
from tools.roots import MAX_PATH_LENGTH
from tools.tool import ToolInput

ADDRESS_PATTERN = "^0x[0-9a-fA-F]{40}$"
CALL_PATTERN = r"^[a-zA-Z_][a-zA-Z0-9_]*\([^)]*\)$"
DEFAULT_SENDER = "0x0000000000000000000000000000000000010000"
MAX_CALLS = 100
MAX_TEXT_LENGTH = 1 << 16
MAX_PAGE = 1_000
Item = TypeVar("Item")
_WORD_DIGITS = 78
_BARE_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def array(value: object) -> object:
    """JSON's arrays are tuples here, so that arguments cannot change."""
    return tuple(value) if isinstance(value, list) else value


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _not_null(value: object) -> object:
    if value is None:
        raise ValueError("must not be null; leave it out instead")
    return value


def _wei(text: str) -> str:
    digits = text.lstrip("0") or "0"
    if len(digits) > _WORD_DIGITS or int(digits) > WORD_MAX:
        raise ValueError("must be at most 2^256-1")
    return digits


def canonical_signature(text: str) -> str:
    """`name(type,...)` with canonical types and no spaces. Raises `AbiError` for what is no type."""
    name, _, types = text.partition("(")
    inside = types.removesuffix(")")
    members = parse_type_text(f"({inside})").canonical
    return f"{name.strip()}{members}"


def _canonical(text: str) -> str:
    try:
        canonical = canonical_signature(text)
    except AbiError as error:
        raise ValueError(f"must be a canonical ABI signature, as in transfer(address,uint256): {error}") from None
    if canonical != text:
        raise ValueError(f"must be canonical, without spaces and with full type names: {canonical}")
    return text


def _searchable(text: str) -> str:
    """A bare name, or a signature in its canonical form where it has one. Any other text matches nothing."""
    if _BARE_NAME.fullmatch(text):
        return text
    try:
        return canonical_signature(text) if "(" in text else text
    except AbiError:
        return text


Optional = BeforeValidator(_not_null)
"""An optional argument may be left out, which is not the same as null."""
Integer = Annotated[int, BeforeValidator(_whole)]
"""JSON Schema's integer, which 5.0 is as well: some languages know one kind of number only."""
AddressText = Annotated[str, Field(pattern=ADDRESS_PATTERN), AfterValidator(str.lower)]
WeiText = Annotated[str, Field(pattern="^[0-9]+$"), AfterValidator(_wei)]
CallText = Annotated[str, Field(pattern=CALL_PATTERN, max_length=MAX_TEXT_LENGTH)]
SignatureText = Annotated[str, Field(pattern=CALL_PATTERN, max_length=MAX_PATH_LENGTH), AfterValidator(_canonical)]
SearchText = Annotated[str, Field(max_length=MAX_PATH_LENGTH), AfterValidator(_searchable)]


def address_of(text: str) -> bytes:
    """The 20 bytes of an `AddressText`."""
    return bytes.fromhex(text[2:])


class PageInput(ToolInput):
    """Arguments of a tool that answers page by page, as its answer grows with the target."""

    offset: Integer = Field(default=0, ge=0, le=2**53)
    limit: Integer = Field(default=50, ge=1, le=MAX_PAGE)

    def page(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Return those of one page."""
        return tuple(items[self.offset : self.offset + self.limit])

    def next_offset(self, total: int) -> int | None:
        """Return where the next page begins; None behind the last one."""
        end = self.offset + self.limit
        return end if end < total else None
