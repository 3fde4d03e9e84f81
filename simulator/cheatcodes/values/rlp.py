"""`toRlp`, `fromRlp`: a list of texts of bytes in recursive length prefix encoding."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

STRING, LIST = 0x80, 0xC0
MAX_SHORT_LENGTH = 55


@cheatcode("toRlp(bytes[])")
def to_rlp(_vm: Session, items: tuple[bytes, ...]) -> bytes:
    content = b"".join(map(_encoded, items))
    return _prefix(LIST, len(content)) + content


def _encoded(item: bytes) -> bytes:
    return item if len(item) == 1 and item[0] < STRING else _prefix(STRING, len(item)) + item


def _prefix(kind: int, size: int) -> bytes:
    if size <= MAX_SHORT_LENGTH:
        return bytes((kind + size,))
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((kind + MAX_SHORT_LENGTH + len(length),)) + length


@cheatcode("fromRlp(bytes)")
def from_rlp(_vm: Session, data: bytes) -> tuple[bytes, ...]:
    """The texts of one list without lists in it."""
    is_list, start, end = _header(data, 0)
    if not is_list or end != len(data):
        raise CheatcodeError("vm.fromRlp: failed to decode RLP: not one list")
    items: list[bytes] = []
    while start < end:
        is_list, first, after = _header(data, start)
        if is_list or after > end:
            raise CheatcodeError("vm.fromRlp: failed to decode RLP: unexpected list or end")
        items.append(data[first:after])
        start = after
    return tuple(items)


def _header(data: bytes, position: int) -> tuple[bool, int, int]:
    """Whether a list stands there, where its content begins, and where it ends. Only the shortest form is allowed."""
    first = data[position] if position < len(data) else -1
    if 0 <= first < STRING:
        return False, position, position + 1
    kind = LIST if first >= LIST else STRING
    size, start = first - kind, position + 1
    if size > MAX_SHORT_LENGTH:
        digits = data[start : start + size - MAX_SHORT_LENGTH]
        start += size - MAX_SHORT_LENGTH
        size = int.from_bytes(digits, "big")
        shortest = bool(digits) and digits[0] != 0 and size > MAX_SHORT_LENGTH
    else:
        shortest = kind == LIST or size != 1 or data[start : start + 1] >= bytes((STRING,))
    if first < 0 or not shortest or start + size > len(data):
        raise CheatcodeError(f"vm.fromRlp: failed to decode RLP at byte {position}")
    return kind == LIST, start, start + size
