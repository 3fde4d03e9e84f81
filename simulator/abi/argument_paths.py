"""Arguments of a function by name or number, down into structs and arrays of fixed size: `amount`, `1`, `order.fee`.

Only arguments that stand at the same place of every call can be named so: those of value types, reached without
crossing anything of variable length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from simulator.abi.contract import Function
from simulator.abi.types import AbiType, Address, Array, Bool, FixedBytes, FunctionType, Int, Tuple, UInt
from simulator.errors import AbiError
from simulator.known_names import known_names

ValueType = UInt | Int | Bool | Address | FixedBytes | FunctionType
MAX_LISTED = 64
_STEP = re.compile(r"\.?([A-Za-z_$][A-Za-z0-9_$]*|[0-9]{1,9})|\[([0-9]{1,9})\]")


@dataclass(frozen=True)
class ArgumentPlace:
    """An argument of a value type; its word begins at `offset` behind the selector. `path` is its full name."""

    path: str
    type: ValueType
    offset: int


def argument_place(function: Function, path: str) -> ArgumentPlace:
    """The argument that is named so. Raises `AbiError` telling which can be named."""
    current: AbiType = function.inputs
    offset, position = 0, 0
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise _unknown(function, path)
        position = step.end()
        found = _member(current, step[1] or step[2])
        if found is None:
            raise _unknown(function, path)
        current, distance = found
        offset += distance
        if current.is_dynamic:
            raise AbiError(
                f"{function.signature}: {path!r} has no fixed place in a call, as its type {current.canonical} has no"
                f" fixed size; can be bound: {_listed(function, path)}"
            )
    if not isinstance(current, ValueType):
        raise _unknown(function, path)
    return ArgumentPlace(path, current, offset)


def _member(container: AbiType, step: str) -> tuple[AbiType, int] | None:
    """A member of a struct or array by name or number, and how far behind the container's beginning it stands."""
    if isinstance(container, Array):
        if not step.isdecimal() or container.length is None or int(step) >= container.length:
            return None
        return container.element, int(step) * container.element.head_size
    if not isinstance(container, Tuple):
        return None
    if step in container.names:
        index = container.names.index(step)
    elif step.isdecimal() and int(step) < len(container.members):
        index = int(step)
    else:
        return None
    return container.members[index], sum(member.head_size for member in container.members[:index])


def _unknown(function: Function, path: str) -> AbiError:
    if not function.inputs.members:
        return AbiError(f"{function.signature} has no arguments")
    return AbiError(f"{function.signature} has no argument {path[:100]!r}; can be bound: {_listed(function, path)}")


def _listed(function: Function, path: str) -> str:
    names = [name for name, _ in zip(_paths(function.inputs, ""), range(MAX_LISTED), strict=False)]
    return known_names(path, names) if names else "none"


def _paths(container: AbiType, prefix: str) -> Iterator[str]:
    """Full names of the arguments that can be named."""
    if isinstance(container, Array):
        if container.length is not None and not container.is_dynamic:
            for index in range(container.length):
                yield from _paths(container.element, f"{prefix}[{index}]")
    elif isinstance(container, Tuple):
        for index, member in enumerate(container.members):
            # What a struct of variable size contains is somewhere else in every call.
            if not member.is_dynamic:
                name = container.name_of(index) or str(index)
                yield from _paths(member, f"{prefix}.{name}" if prefix else name)
    else:
        yield prefix
