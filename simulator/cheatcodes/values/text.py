"""Working on strings."""

from __future__ import annotations

from simulator.abi.hashing import keccak256
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

NOT_FOUND = (1 << 256) - 1
MAX_TEXT = 1 << 22
MAX_PARTS = 1 << 16


@cheatcode("toLowercase(string)")
def to_lowercase(_vm: Session, text: str) -> str:
    return text.lower()


@cheatcode("toUppercase(string)")
def to_uppercase(_vm: Session, text: str) -> str:
    return text.upper()


@cheatcode("trim(string)")
def trim(_vm: Session, text: str) -> str:
    return text.strip()


@cheatcode("replace(string,string,string)")
def replace(_vm: Session, text: str, old: str, new: str) -> str:
    if text.count(old) * len(new) > MAX_TEXT:
        raise CheatcodeError(f"vm.replace: the result is longer than {MAX_TEXT} characters")
    return text.replace(old, new)


@cheatcode("split(string,string)")
def split(_vm: Session, text: str, delimiter: str) -> tuple[str, ...]:
    """An empty delimiter splits between all characters, and before the first and after the last, as forge does."""
    parts = text.split(delimiter, MAX_PARTS) if delimiter else ["", *text, ""]
    if len(parts) > MAX_PARTS:
        raise CheatcodeError(f"vm.split: more than {MAX_PARTS} parts")
    return tuple(parts)


@cheatcode("indexOf(string,string)")
def index_of(_vm: Session, text: str, key: str) -> int:
    """In bytes of UTF-8; the greatest uint256 when the key is not there."""
    found = text.encode("utf-8", "surrogateescape").find(key.encode("utf-8", "surrogateescape"))
    return found if found >= 0 else NOT_FOUND


@cheatcode("contains(string,string)")
def contains(_vm: Session, text: str, key: str) -> bool:
    return key in text


@cheatcode("ensNamehash(string)")
def ens_name_hash(_vm: Session, name: str) -> bytes:
    """EIP-137."""
    node = bytes(32)
    for part in reversed(name.split(".") if name else []):
        node = keccak256(node + keccak256(part.encode("utf-8", "surrogateescape")))
    return node
