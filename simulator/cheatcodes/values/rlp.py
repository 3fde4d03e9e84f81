"""`toRlp`, `fromRlp`: a list of byte strings in recursive length prefix encoding."""

from __future__ import annotations

from simulator import rlp
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session


@cheatcode("toRlp(bytes[])")
def to_rlp(_vm: Session, items: tuple[bytes, ...]) -> bytes:
    return rlp.encode(items)


@cheatcode("fromRlp(bytes)")
def from_rlp(_vm: Session, data: bytes) -> tuple[bytes, ...]:
    """The strings of one list without lists in it."""
    try:
        return rlp.decode_flat_list(data)
    except rlp.RlpError as error:
        raise CheatcodeError(f"vm.fromRlp: failed to decode RLP: {error}") from None
