"""Literals of single values in call texts, and the scanner that reads them. `simulator.abi.call_parser` has the table
of forms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from simulator.abi.types import Int, UInt
from simulator.errors import AbiError

_SPACE = re.compile(r"\s*")
_WILDCARD = re.compile(r"\?|(?:0x)?([0-9a-fA-F]*)(?:\.\.\.|…)")
_HEX = re.compile(r"0[xX]([0-9a-fA-F]*)(?![0-9A-Za-z_])")
_INTEGER = re.compile(
    r"([+-]?)(?:0[xX]([0-9a-fA-F]{1,64})|([0-9](?:_?[0-9]){0,99})(?:\.([0-9]{1,99}))?(?:[eE]\+?([0-9]{1,3}))?)"
    r"(?![0-9A-Za-z_.])(?:\s*(wei|gwei|ether|seconds|minutes|hours|days|weeks)\b)?"
)
_UNITS = {
    "wei": 1,
    "gwei": 10**9,
    "ether": 10**18,
    "seconds": 1,
    "minutes": 60,
    "hours": 3600,
    "days": 86_400,
    "weeks": 604_800,
}
_MAX_EXPONENT = 100
_HEX_TEXT = re.compile(r"""hex(?:"([0-9a-fA-F]*)"|'([0-9a-fA-F]*)')""")
_PLAIN = re.compile(r"""[^"'\\\r\n]+""")
_ESCAPE = re.compile(r"""\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(["'\\nrt0]))""")
_ESCAPED = {"n": b"\n", "r": b"\r", "t": b"\t", "0": b"\0", '"': b'"', "'": b"'", "\\": b"\\"}


@dataclass(frozen=True)
class Wildcard:
    """An argument to be chosen while fuzzing. `prefix` holds the hex digits an elided literal begins with."""

    prefix: str = ""


class Scanner:
    """A position in a text; all readers skip leading space and raise `AbiError` with that position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def skip(self) -> int:
        """Move over space; returns the position."""
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.position

    def peek(self, literal: str) -> bool:
        return self.text.startswith(literal, self.skip())

    def take(self, literal: str, allowed: str) -> None:
        if not self.peek(literal):
            self.fail(allowed)
        self.position += len(literal)

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take what the pattern matches here, or stay."""
        match = pattern.match(self.text, self.skip())
        if match:
            self.position = match.end()
        return match

    def expect(self, pattern: re.Pattern[str], allowed: str) -> str:
        match = self.match(pattern)
        return match.group() if match else self.fail(allowed)

    def end(self) -> None:
        if self.skip() != len(self.text):
            self.fail("the end of the call")

    def wildcard(self) -> Wildcard | None:
        match = self.match(_WILDCARD)
        return Wildcard((match.group(1) or "").lower()) if match else None

    def fail(self, allowed: str) -> NoReturn:
        found = self.text[self.position : self.position + 20]
        ending = f"found {found!r}" if found else "but the text ends"
        raise AbiError(f"at position {self.position}: {allowed} expected, {ending}")


def read_integer(scanner: Scanner, abi_type: UInt | Int) -> int:
    """A whole number in the range of the type. Raises `AbiError`."""
    start = scanner.skip()
    match = scanner.match(_INTEGER)
    if match is None:
        scanner.fail(f"{abi_type.canonical}, as in 5, -5, 0xff, 1e18, 1 ether or ?")
    value = _integer(match)
    low, high = (0, (1 << abi_type.bits) - 1)
    if isinstance(abi_type, Int):
        low, high = -(1 << (abi_type.bits - 1)), (1 << (abi_type.bits - 1)) - 1
    if value is None or not low <= value <= high:
        scanner.position = start
        scanner.fail(f"{abi_type.canonical}, a whole number of {low}..{high}")
    return value


def _integer(match: re.Match[str]) -> int | None:
    """The exact value, None when it is not whole or its exponent is absurd."""
    sign, digits, whole, fraction, exponent, unit = match.groups()
    scale = _UNITS[unit or "wei"]
    if digits:
        value = int(digits, 16) * scale
    else:
        if int(exponent or 0) > _MAX_EXPONENT:
            return None
        numerator = int(whole.replace("_", "") + (fraction or "")) * 10 ** int(exponent or 0) * scale
        value, rest = divmod(numerator, 10 ** len(fraction or ""))
        if rest:
            return None
    return -value if sign == "-" else value


def read_address(scanner: Scanner) -> int:
    """An address of at most 40 hex digits. Raises `AbiError`."""
    start = scanner.skip()
    match = scanner.match(_HEX)
    if match is None or not 1 <= len(match.group(1)) <= 40:
        scanner.position = start
        scanner.fail("address, 0x and 1 to 40 hex digits, or ?")
    return int(match.group(1), 16)


def read_fixed_bytes(scanner: Scanner, size: int, *, allow_text: bool) -> bytes:
    """Exactly `size` bytes, or a shorter string to be padded. Raises `AbiError`."""
    start = scanner.skip()
    content = _quoted(scanner) if allow_text else None
    match = scanner.match(_HEX) if content is None else None
    if match is not None and len(match.group(1)) == 2 * size:
        return bytes.fromhex(match.group(1))
    if content is None or len(content) > size:
        scanner.position = start
        scanner.fail(f"0x and {2 * size} hex digits{f', a string of at most {size} bytes' if allow_text else ''} or ?")
    return content.ljust(size, b"\0")


def read_bytes(scanner: Scanner) -> bytes:
    """Bytes as hex or as a string. Raises `AbiError`."""
    start = scanner.skip()
    content = _quoted(scanner)
    if content is not None:
        return content
    match = scanner.match(_HEX) or scanner.match(_HEX_TEXT)
    digits = next((group for group in match.groups() if group is not None), "") if match else "0"
    if len(digits) % 2:
        scanner.position = start
        scanner.fail('bytes, as in 0x00ff (an even number of digits), hex"00ff", "text" or ?')
    return bytes.fromhex(digits)


def read_text(scanner: Scanner) -> bytes:
    """The bytes of a quoted string. Raises `AbiError`."""
    content = _quoted(scanner)
    if content is None:
        scanner.fail('a string in quotes, as in "text", or ?')
    return content


def _quoted(scanner: Scanner) -> bytes | None:
    quote = scanner.text[scanner.skip() : scanner.position + 1]
    if quote not in ('"', "'"):
        return None
    scanner.position += 1
    content = bytearray()
    while not scanner.text.startswith(quote, scanner.position):
        content += _piece(scanner)
    scanner.position += 1
    return bytes(content)


def _piece(scanner: Scanner) -> bytes:
    for pattern in (_PLAIN, _ESCAPE):
        match = pattern.match(scanner.text, scanner.position)
        if match:
            scanner.position = match.end()
            return _unescape(match) if pattern is _ESCAPE else _utf8(scanner, match.group())
    character = scanner.text[scanner.position : scanner.position + 1]
    if character not in ('"', "'"):
        scanner.fail("a closing quote, or one of the escapes \\\" \\' \\\\ \\n \\r \\t \\0 \\xNN \\uNNNN")
    scanner.position += 1
    return character.encode()


def _unescape(match: re.Match[str]) -> bytes:
    byte, code, name = match.groups()
    if byte:
        return bytes.fromhex(byte)
    return chr(int(code, 16)).encode("utf-8", "surrogatepass") if code else _ESCAPED[name]


def _utf8(scanner: Scanner, text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        scanner.fail("text without lone surrogates")
