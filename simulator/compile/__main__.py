"""`python -m simulator.compile FILES OPTIONS`: what compilers say of these sources, printed as solc prints it.

It takes the place of `solc` where none is on PATH: releases are chosen by the pragmas, and found or fetched as for a
campaign. The options are those of `solcArgs`. The exit code is 1 when the sources do not compile.

It serves agents: files lie in the folders of `MONOTREME_ROOTS`, or where there are none in the current one.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from simulator.compile.diagnostics import Diagnostic, render_as_solc
from simulator.compile.options import CompileOptions
from simulator.compile.pipeline import compiler_messages
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import ROOTS_VARIABLE, agent_policy


def main(arguments: Sequence[str]) -> int:
    files = [Path(each) for each in arguments if _is_source(each)]
    options = tuple(shlex.quote(each) for each in arguments if not _is_source(each))
    named = os.environ.get(ROOTS_VARIABLE, "").split(os.pathsep)
    policy = agent_policy([Path(root).resolve() for root in named if root] or [Path.cwd().resolve()])
    try:
        found = compiler_messages(files, CompileOptions(solc_args=options, policy=policy))
    except (CompileError, PolicyRefused) as error:
        found = (Diagnostic("error", "", str(error)),)
    sys.stderr.write("\n".join(map(render_as_solc, found)))
    return int(any(each.severity == "error" for each in found))


def _is_source(argument: str) -> bool:
    return argument.endswith(".sol") and "=" not in argument and not argument.startswith("-")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
