"""Turns kernel functions into numba dispatchers with one signature each, and compiles them in order of declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import njit, types

from simulator.evm.kernel.native.word_type import u256

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "boundscheck": False,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
_TYPES = {"int": types.int64, "Word": u256, "bool": types.boolean, "Limb": types.uint64}
_declared: list[tuple[Any, tuple[Any, ...]]] = []


def declare(function: Callable[..., Any]) -> Any:
    """A lazy dispatcher. Numba would compile one more version for every literal argument; the order and the frozen
    signature prevent that."""
    dispatcher = njit(**OPTIONS)(function)
    parameters = inspect.signature(function).parameters.values()
    _declared.append((dispatcher, tuple(_TYPES[parameter.annotation] for parameter in parameters)))
    return dispatcher


def compile_declared(progress: Callable[[int, int, str], None]) -> None:
    """Compile everything declared so far; `progress` gets the index, the number of functions and a name."""
    for index, (dispatcher, arguments) in enumerate(_declared):
        progress(index, len(_declared), dispatcher.__name__)
        dispatcher.compile(arguments)
        dispatcher.disable_compile()
