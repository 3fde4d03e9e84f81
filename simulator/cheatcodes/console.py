"""`console.log`: the text of a call to the console address.

The overloads are known by selector: `log` with up to four values of the four types, and the named single ones. Both the
canonical selectors and hardhat's first ones, which were made from `uint` and `int` as they stand, are in use. Forge
answers `log` with canonical selectors alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import cast

from simulator.abi.codec import decode
from simulator.abi.hashing import selector
from simulator.abi.types import AbiType, Address, Bool, Int, String, UInt, Value, parse_type_text
from simulator.cheatcodes.core.frames import DELEGATED, error_data
from simulator.cheatcodes.values.units import decimal_text, shown
from simulator.errors import AbiError
from simulator.evm.machine import Machine
from simulator.evm.results import HostAnswer
from simulator.printable import shortened

MAX_ARGUMENTS = 4
MAX_TEXT = 4096
LOGGED = ("uint256", "string", "bool", "address")
NAMED = {
    "Uint": "uint256",
    "Int": "int256",
    "String": "string",
    "Bool": "bool",
    "Address": "address",
    "Bytes": "bytes",
}
_DIRECTIVE = re.compile(r"%(?:([sdiox%])|([0-9]{0,3})e)")


def console_text(data: bytes) -> str | None:
    """Return what a call with this calldata prints, at most 4,096 characters; None when it is no overload of
    `console.log`."""
    types = _overloads().get(data[:4])
    if types is None:
        return None
    try:
        values = decode(types, data[4:], strict=False)
    except AbiError:
        return None
    text = _format(types, values)
    return shortened(text, MAX_TEXT)


def answer_console(machine: Machine, data: bytes) -> HostAnswer:
    """Answer as forge does: what it cannot read reverts, also where a contract sends wei to this address by chance. A
    delegated call runs the code there, which is none."""
    if machine.context.frame.kind in DELEGATED or _is_answered(data):
        return HostAnswer()
    return HostAnswer(error_data("the call is no console.log"), reverted=True)


def _is_answered(data: bytes) -> bool:
    types = _answered().get(data[:4])
    if types is None:
        return False
    try:
        decode(types, data[4:], strict=False)
    except AbiError:
        return False
    return True


@cache
def _answered() -> Mapping[bytes, tuple[AbiType, ...]]:
    lists = [names for count in range(MAX_ARGUMENTS + 1) for names in itertools.product(LOGGED, repeat=count)]
    lists += [("int256",), ("string", "int256"), ("bytes",), *((f"bytes{size}",) for size in range(1, 33))]
    return {selector(f"log({','.join(names)})"): tuple(map(parse_type_text, names)) for names in lists}


@cache
def _overloads() -> Mapping[bytes, tuple[AbiType, ...]]:
    found: dict[bytes, tuple[AbiType, ...]] = {}
    for count in range(MAX_ARGUMENTS + 1):
        for names in itertools.product((*LOGGED, "int256"), repeat=count):
            _add(found, "log", names)
    for name, kind in NAMED.items():
        _add(found, f"log{name}", (kind,))
    _add(found, "log", ("bytes",))
    for size in range(1, 33):
        # Forge's and hardhat's libraries call the first for `logBytes4` and its like.
        _add(found, "log", (f"bytes{size}",))
        _add(found, f"logBytes{size}", (f"bytes{size}",))
    return found


def _add(found: dict[bytes, tuple[AbiType, ...]], function: str, names: Sequence[str]) -> None:
    types = tuple(parse_type_text(name) for name in names)
    signature = f"{function}({','.join(names)})"
    found[selector(signature)] = types
    found[selector(signature.replace("int256", "int"))] = types


def _format(types: Sequence[AbiType], values: Sequence[Value]) -> str:
    """As forge prints it: directives in a leading string take the values behind it, the others follow with spaces."""
    shown = list(zip(types, values, strict=True))
    if not shown:
        return ""
    if not isinstance(types[0], String) or len(shown) == 1:
        return " ".join(_plain(kind, value) for kind, value in shown)
    rest = iter(shown[1:])

    def replace(match: re.Match[str]) -> str:
        if match.group(1) == "%":
            return "%"
        item = next(rest, None)
        return match.group() if item is None else _directed(match, *item)

    text = _DIRECTIVE.sub(replace, cast("str", values[0]))
    return " ".join([text, *(_plain(kind, value) for kind, value in rest)])


def _plain(kind: AbiType, value: Value) -> str:
    return shown(kind, value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _directed(match: re.Match[str], kind: AbiType, value: Value) -> str:
    """One value under a directive: `%s` and `%o` print it, the others want numbers."""
    letter, decimals = match.groups()
    if letter in ("s", "o"):
        quoted = letter == "o" and isinstance(kind, String | Bool | Address)
        return f"'{_plain(kind, value)}'" if quoted else _plain(kind, value)
    if isinstance(kind, Bool) and letter == "d":
        return str(int(cast("bool", value)))
    if letter == "x" and not isinstance(kind, Bool | String):
        return hex(cast("int", value) % (1 << 256)) if isinstance(kind, UInt | Int) else _plain(kind, value)
    if not isinstance(kind, UInt | Int):
        return "NaN"
    number = cast("int", value)
    return _scientific(number, int(decimals) if decimals else None) if letter is None else str(number)


def _scientific(number: int, decimals: int | None) -> str:
    """`%18e`: in units of 10**18, without trailing zeros; `%e`: in scientific notation."""
    if decimals is not None:
        text = decimal_text(number, decimals)
        return text.rstrip("0").rstrip(".") if "." in text else text
    digits = str(abs(number))
    fraction = digits[1:].rstrip("0")
    return f"{'-' if number < 0 else ''}{digits[0]}{'.' + fraction if fraction else ''}e{len(digits) - 1}"
