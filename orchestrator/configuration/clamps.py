"""`clamps` of a configuration: objects as `clamp_function` takes them, or one line of text for each function."""

from __future__ import annotations

from typing import Any

FORM = "FUNCTION ARGUMENT=MIN..MAX ARGUMENT=VALUE,VALUE @SENDER,SENDER"
_SENDERS = "@"
_RANGE = ".."


def read_clamps(value: object) -> object:
    """A list with the numbers of YAML as texts and lines of text as objects, for the model of a clamp to check. Raises
    `ValueError`."""
    if isinstance(value, str | dict):
        value = [value]
    if not isinstance(value, list | tuple):
        return value
    return tuple(parse_clamp(each) if isinstance(each, str) else _with_texts(each) for each in value)


def parse_clamp(text: str) -> dict[str, Any]:
    """One function's clamp from a line such as `deposit(uint256,address) assets=1..1e24 receiver=0x10000 @0x10000`. A
    range may leave out either end. Raises `ValueError`."""
    function, *words = text.split()[:1_000] or [""]
    arguments: list[dict[str, Any]] = []
    senders: tuple[str, ...] = ()
    for word in words:
        if word.startswith(_SENDERS):
            senders += tuple(word.removeprefix(_SENDERS).split(","))
            continue
        name, is_bound, choice = word.partition("=")
        if not name or not is_bound:
            raise ValueError(f"{word[:100]!r} binds nothing; write {FORM}")
        arguments.append({"argument": name, **_limit(choice)})
    if not function or (not arguments and not senders):
        raise ValueError(f"{text[:100]!r} binds nothing; write {FORM}")
    return {"function": function, "arguments": arguments, "senders": [_address(each) for each in senders]}


def _limit(choice: str) -> dict[str, Any]:
    low, is_range, high = choice.partition(_RANGE)
    if not is_range:
        return {"values": choice.split(",")}
    return {**({"min": low} if low else {}), **({"max": high} if high else {})}


def _with_texts(clamp: object) -> object:
    if not isinstance(clamp, dict):
        return clamp
    read = dict(clamp)
    if isinstance(clamp.get("senders"), list | tuple):
        read["senders"] = [_address(each) for each in clamp["senders"]]
    if isinstance(clamp.get("arguments"), list | tuple):
        read["arguments"] = [_argument(each) for each in clamp["arguments"]]
    return read


def _argument(limit: object) -> object:
    if not isinstance(limit, dict):
        return limit
    read = {key: _text(value) for key, value in limit.items()}
    if isinstance(limit.get("values"), list | tuple):
        read["values"] = [_text(each) for each in limit["values"]]
    return read


def _text(value: object) -> object:
    """A value as in a call: YAML reads 0x10000 and true as what they are."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return hex(value) if value >= 0 else str(value)
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return value


def _address(value: object) -> object:
    """All 40 digits of an address that may be written in short."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 160:
        return f"0x{value:040x}"
    if isinstance(value, str) and value[:2].lower() == "0x" and len(value) < 42:
        return f"0x{value[2:]:0>40}"
    return value
