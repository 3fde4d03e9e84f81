"""`python -m simulator.compile FILES OPTIONS`: what compilers say of these sources, printed as solc prints it.

It takes the place of `solc` where none is on PATH: releases are chosen by the pragmas, and found or fetched as for a
campaign. The options are those of `solcArgs`. The exit code is 1 when the sources do not compile.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from simulator.compile.diagnostics import Diagnostic, render_as_solc
from simulator.compile.options import CompileOptions
from simulator.compile.pipeline import compiler_messages
from simulator.errors import CompileError


def main(arguments: Sequence[str]) -> int:
    files = [Path(each) for each in arguments if _is_source(each)]
    options = tuple(shlex.quote(each) for each in arguments if not _is_source(each))
    try:
        found = compiler_messages(files, CompileOptions(solc_args=options))
    except CompileError as error:
        found = (Diagnostic("error", "", str(error)),)
    sys.stderr.write("\n".join(map(render_as_solc, found)))
    return int(any(each.severity == "error" for each in found))


def _is_source(argument: str) -> bool:
    return argument.endswith(".sol") and "=" not in argument and not argument.startswith("-")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
