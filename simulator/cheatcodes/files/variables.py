"""Environment variables: `envUint`, `envOr`, `envExists`, `setEnv`.

What `setEnv` sets is the campaign's own and undone like any state; programs that `ffi` runs see it, this process
keeps its environment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from simulator.abi.types import Array, Value
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode, interface, members_of
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.values.conversion import Scalar, parse_scalar

_PLACE = re.compile(r"\$\{\s*([^{}]*?)\s*\}")


def find_variable(vm: Session, name: str) -> str | None:
    if not name or "=" in name or "\0" in name:
        raise CheatcodeError(f'environment variable name "{name}" is empty or has a character that is not allowed')
    own = vm.state.variables.get(name)
    return vm.policy.variable(name) if own is None else own


@cheatcode("setEnv(string,string)")
def set_env(vm: Session, name: str, value: str) -> None:
    find_variable(vm, name)
    if "\0" in value:
        raise CheatcodeError("the value of an environment variable cannot contain a zero character")
    vm.change(variables={**vm.state.variables, name: value})


@cheatcode("resolveEnv(string)")
def resolve(vm: Session, text: str) -> str:
    """The text with the values of variables in the place of `${NAME}`."""

    def value(match: re.Match[str]) -> str:
        found = find_variable(vm, match[1].strip())
        if found is None:
            raise CheatcodeError(f"failed to resolve env var: environment variable `{match[1].strip()}` not found")
        return found

    return _PLACE.sub(value, text)


@cheatcode("envExists(string)")
def env_exists(vm: Session, name: str) -> bool:
    return find_variable(vm, name) is not None


def _needed(vm: Session, name: str) -> str:
    text = find_variable(vm, name)
    if text is None:
        raise CheatcodeError(f'vm.env*: environment variable "{name}" not found')
    return text


def _elements(kind: Scalar, text: str, delimiter: str) -> tuple[Value, ...]:
    parts = text.split(delimiter) if delimiter else [text]
    return tuple(parse_scalar(kind, part.strip()) for part in parts)


def _read_one(kind: Scalar) -> Callable[..., Value]:
    return lambda vm, name: parse_scalar(kind, _needed(vm, name))


def _read_many(kind: Scalar) -> Callable[..., Value]:
    return lambda vm, name, delimiter: _elements(kind, _needed(vm, name), delimiter)


# As in forge, a value of another type counts as none.
def _or_one(kind: Scalar) -> Callable[..., Value]:
    def read(vm: Session, name: str, default: Value) -> Value:
        text = find_variable(vm, name)
        if text is None:
            return default
        try:
            return parse_scalar(kind, text)
        except CheatcodeError:
            return default

    return read


def _or_many(kind: Scalar) -> Callable[..., Value]:
    def read(vm: Session, name: str, delimiter: str, default: Value) -> Value:
        text = find_variable(vm, name)
        if text is None:
            return default
        try:
            return _elements(kind, text, delimiter)
        except CheatcodeError:
            return default

    return read


def _register() -> None:
    for signature, returns in interface().items():
        name = signature.partition("(")[0]
        if not name.startswith("env") or name == "envExists":
            continue
        (kind,) = members_of(returns)
        one, many = (_or_one, _or_many) if name == "envOr" else (_read_one, _read_many)
        handler = many(cast("Scalar", kind.element)) if isinstance(kind, Array) else one(cast("Scalar", kind))
        cheatcode(signature)(_of_texts(handler) if signature.startswith("envBytes(bytes") else handler)


def _of_texts(handler: Callable[..., Value]) -> Callable[..., Value]:
    """hevm's `envBytes`, whose texts are handed over as bytes."""
    return lambda vm, *texts: handler(vm, *(text.decode("utf-8", "replace") for text in texts))


_register()
