"""One source, two ways to run it: compiled by numba in the process that builds the kernel, or as plain Python.

`COMPILING` is true only in the builder's process. Everywhere else the same names mean their plain twins, so kernel
functions can be called, stepped through and type-checked like any others, and numba is never imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

BUILD_VARIABLE = "MONOTREME_KERNEL_BUILD"
COMPILING = os.environ.get(BUILD_VARIABLE) == "1"

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def kernel(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Declare a kernel function: integers are int64, `Word`s are 256 bits, told by the annotations.

    While compiling, the function becomes a numba dispatcher with exactly this one signature. Otherwise it stays as it
    is.
    """
    if not COMPILING:
        return function
    from simulator.evm.kernel.compiler.declarations import declare

    compiled: Callable[Parameters, Result] = declare(function)
    return compiled
