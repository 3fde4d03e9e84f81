"""Values of a JSON document, each with its place, so that an error can say where it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simulator.errors import SimulatorError
from simulator.printable import shortened

MAX_BYTES = 512 << 20
MAX_DIGITS = 1000
MAX_SHOWN_LENGTH = 40
_NUMBER = re.compile(rf"0x[0-9a-fA-F]{{0,{MAX_DIGITS}}}|[0-9]{{0,{MAX_DIGITS}}}")
_DATA = re.compile(r"(0x)?([0-9a-fA-F]{2})*")
_DIGITS = re.compile(r"[0-9a-fA-F]+")
_BIG = "0x:bigint "


class StateTestError(SimulatorError):
    """A file is not a state test. The message names the file and the place."""

    code = "E_STATE_TEST"


class NoTestError(StateTestError):
    """Nothing in the file looks like a test of any format."""


def read_document(path: Path) -> DocumentNode:
    """The whole document. Raises `StateTestError` when it cannot be read, exceeds MAX_BYTES or is not JSON."""
    try:
        if (size := path.stat().st_size) > MAX_BYTES:
            raise StateTestError(f"{path}: {size >> 20} MB, the limit is {MAX_BYTES >> 20} MB")
        return DocumentNode(str(path), "", json.loads(path.read_bytes()))
    except OSError as error:
        raise StateTestError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise StateTestError(f"{path}: not a state test: not JSON: {error}") from error
    except RecursionError:
        raise StateTestError(f"{path}: not a state test: nested too deeply") from None


class DocumentNode:
    """A value and its place. Every method raises `StateTestError` when the value is not of the asked kind."""

    def __init__(self, file: str, place: str, value: Any) -> None:
        self.file = file
        self.place = place
        self.value = value

    def error(self, problem: str) -> StateTestError:
        """Return the error of this value, with file and place."""
        place = f"{self.place}: " if self.place else ""
        return StateTestError(f"{self.file}: not a state test: {place}{problem}")

    def members(self) -> Iterator[tuple[str, DocumentNode]]:
        """Names and values of an object."""
        for name, value in self._object().items():
            yield name, self._inside(name, value)

    def member(self, name: str) -> DocumentNode:
        """A value that must be there."""
        found = self.optional(name)
        if found is None:
            raise self.error(f"{name!r} is missing")
        return found

    def optional(self, name: str) -> DocumentNode | None:
        """A value, or None when there is none of this name or it is null."""
        value = self._object().get(name)
        return None if value is None else self._inside(name, value)

    def items(self) -> list[DocumentNode]:
        """The values of a list."""
        if not isinstance(self.value, list):
            raise self.error(f"must be a list, is {_kind(self.value)}")
        return [DocumentNode(self.file, f"{self.place}[{index}]", value) for index, value in enumerate(self.value)]

    def item(self, index: int) -> DocumentNode:
        items = self.items()
        if index >= len(items):
            raise self.error(f"has {len(items)} entries, index {index} is asked for")
        return items[index]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.error(f"must be a text, is {_kind(self.value)}")
        return self.value

    def number(self, bits: int = 0) -> int:
        """A number in the tests' notation: 0x-hex, decimal, `0x:bigint 0x...`, or a JSON number; empty means 0.

        With `bits`, it must fit so many.
        """
        number = self.value if _is_integer(self.value) else self._parsed_number(self.text())
        if number < 0:
            raise self.error(f"{number} is negative")
        if bits and number >> bits:
            raise self.error(f"{shortened(str(self.value), MAX_SHOWN_LENGTH)} does not fit {bits} bits")
        return int(number)

    def data(self) -> bytes:
        """Bytes in hex, with or without 0x."""
        text = self.text()
        if not _DATA.fullmatch(text):
            found = shortened(text, MAX_SHOWN_LENGTH)
            raise self.error(f"{found!r} is not hex: give an even number of hex digits behind 0x")
        return bytes.fromhex(text.removeprefix("0x"))

    def _parsed_number(self, text: str) -> int:
        digits = text.removeprefix(_BIG)
        if not _NUMBER.fullmatch(digits):
            found = shortened(text, MAX_SHOWN_LENGTH)
            raise self.error(f"{found!r} is not a number: give hex digits behind 0x, or decimal digits")
        return int(digits[2:] or "0", 16) if digits.startswith("0x") else int(digits or "0")

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.error(f"must be an object, is {_kind(self.value)}")
        return self.value

    def _inside(self, name: str, value: Any) -> DocumentNode:
        return DocumentNode(self.file, f"{self.place}.{name}" if self.place else name, value)


def key_number(node: DocumentNode, key: str, bits: int) -> int:
    """The number that stands as a name in an object. One with all its hex digits needs no 0x, as in older files."""
    if len(key) == bits // 4 and _DIGITS.fullmatch(key):
        key = f"0x{key}"
    return DocumentNode(node.file, f"{node.place} (its name)", key).number(bits)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
