"""`run(machine)`: the interpreter, for kernel sources that call it and for the host's plain machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.mode import COMPILING


@cache
def _plain_run() -> Callable[[Context], int]:
    from simulator.evm.kernel.run import interpreter

    function: Callable[[Context], int] = interpreter.define()
    return function


def _compiled_run() -> Any:
    from simulator.evm.kernel.compiler.declarations import declare
    from simulator.evm.kernel.run import interpreter

    return interpreter.define(declare)


def run(machine: Context) -> int:
    """Execute from where the context says. Returns a final status, or EXIT: serve `exit_reason`, then call again."""
    return _plain_run()(machine)


if COMPILING:
    run = _compiled_run()
