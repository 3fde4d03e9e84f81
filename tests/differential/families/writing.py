"""Putting together the Solidity of generated tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from textwrap import indent


@dataclass(frozen=True)
class TestContract:
    """A generated contract: its name and the whole text of its definition, helpers of its own included."""

    __test__ = False  # for pytest: the name begins with Test

    name: str
    text: str


def contract(name: str, *parts: str, base: str = "Test") -> TestContract:
    """A contract of members."""
    return TestContract(name, f"contract {name} is {base} {{\n{indent(chr(10).join(parts), '    ')}\n}}\n")


def function(name: str, body: str, *, parameters: str = "", modifiers: str = "public", comment: str = "") -> str:
    above = f"/// {comment}\n" if comment else ""
    return f"{above}function {name}({parameters}) {modifiers} {{\n{indent(body, '    ')}\n}}\n"


def set_up(body: str) -> str:
    return function("setUp", body)


def tests(bodies: Mapping[str, str]) -> str:
    """A unit test `test_<name>` for each body."""
    return "\n".join(function(f"test_{name}", body) for name, body in bodies.items())


def capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def in_groups(items: Iterable[tuple[str, str]], size: int) -> Iterable[dict[str, str]]:
    """The items in order, at most `size` at a time."""
    listed = list(items)
    for start in range(0, len(listed), size):
        yield dict(listed[start : start + size])
