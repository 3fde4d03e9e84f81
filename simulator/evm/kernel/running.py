"""`run(c)`: the interpreter, for kernel sources that call it and for the host's plain machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from simulator.evm.kernel.mode import COMPILING


@cache
def _plain_run() -> Callable[[int], int]:
    from simulator.evm.kernel import interpreter

    function: Callable[[int], int] = interpreter.define()
    return function


def _compiled_run() -> Any:
    from simulator.evm.kernel import interpreter
    from simulator.evm.kernel.native.compiler import declare

    return interpreter.define(declare)


def run(c: int) -> int:
    """Execute from where the context says. Returns a final status, or EXIT (64): serve EXIT_REASON, then call again."""
    return _plain_run()(c)


if COMPILING:
    run = _compiled_run()
