"""Turns kernel functions into numba dispatchers with one signature each, and compiles them in order of declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import njit, types
from numba.core import analysis
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen

from simulator.evm.kernel.compiler.record_types import PlaceType
from simulator.evm.kernel.compiler.switches import make_switches
from simulator.evm.kernel.compiler.word_type import u256

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


def _type_of(annotation: str, function: Callable[..., Any]) -> Any:
    """The numba type of an annotation: a name of _TYPES, or a record or an array that the function's module knows."""
    known = _TYPES.get(annotation)
    return known or PlaceType(eval(annotation, function.__globals__))  # noqa: S307 - the project's own annotations


def declare(function: Callable[..., Any]) -> Any:
    """A lazy dispatcher. Numba would compile one more version for every literal argument; the order and the frozen
    signature prevent that."""
    dispatcher = njit(**OPTIONS)(function)
    parameters = inspect.signature(function).parameters.values()
    _declared.append((dispatcher, tuple(_type_of(each.annotation, function) for each in parameters)))
    return dispatcher


def compile_declared(progress: Callable[[int, int, str], None]) -> None:
    """Compile everything declared so far; `progress` gets the index, the number of functions and a name."""
    with _for_linking_only():
        for index, (dispatcher, arguments) in enumerate(_declared):
            progress(index, len(_declared), dispatcher.__name__)
            dispatcher.compile(arguments)
            dispatcher.disable_compile()


def _keep_for_linking(library: Any) -> None:
    library._finalize_dynamic_globals()
    library._finalized = True


_add_ir_module: Callable[..., None] = CPUCodeLibrary.add_ir_module


def _add_with_switches(library: Any, module: Any) -> None:
    make_switches(module)
    _add_ir_module(library, module)


_compute_live_map: Callable[..., Any] = analysis.compute_live_map


def _live_map(cfg: Any, blocks: Any, uses: dict[int, set[str]], definitions: dict[int, set[str]]) -> Any:
    """The same result sooner: a variable that no block takes from another one lives nowhere at a block's entry, so it
    need not be followed through a loop of thousands of blocks."""
    shared: set[str] = set().union(*uses.values())
    return _compute_live_map(cfg, blocks, uses, {block: names & shared for block, names in definitions.items()})


# What numba does to each library although it is only linked into another one: turn it into machine code, and tell that
# code where its Python environment is. (Optimising each one is needed: it decides what is inlined where, and without it
# the interpreter is a tenth slower.) And on the way in, chains of comparisons become switches,
# and the interpreter's thousands of short-lived variables are left out of an analysis that is quadratic in them.
_CHANGED: tuple[tuple[Any, str, Callable[..., None]], ...] = (
    (CPUCodeLibrary, "_finalize_final_module", _keep_for_linking),
    (JITCPUCodegen, "set_env", lambda codegen, name, environment: None),
    (CPUCodeLibrary, "add_ir_module", _add_with_switches),
    (analysis, "compute_live_map", _live_map),
)


@contextmanager
def _for_linking_only() -> Iterator[None]:
    """Inside, libraries get no machine code; the exported function, which links them all, does.

    This saves a fifth of the build's time. A numba without these methods just takes the longer way.
    """
    if not all(hasattr(owner, name) for owner, name, _ in _CHANGED):
        yield
        return
    usual = [(owner, name, getattr(owner, name)) for owner, name, _ in _CHANGED]
    for owner, name, replacement in _CHANGED:
        setattr(owner, name, replacement)
    try:
        yield
    finally:
        for owner, name, method in usual:
            setattr(owner, name, method)
