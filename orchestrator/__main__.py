"""`python -m orchestrator` and the `monotreme` command."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from orchestrator.interrupts import conclude, install, leave


def main() -> None:
    """Run the command line of this process and exit with its code."""
    run_and_leave(_run)


def run_and_leave(run: Callable[[], int]) -> NoReturn:
    """Handle signals from here on, run a command line, and exit with the code that it returns."""
    install()
    code = run()
    conclude(code)
    from orchestrator.streams import flush_stderr, flush_stdout, write_stderr

    flush_stderr()
    # Results are flushed as they are written, except for long ones that come line by line.
    if not flush_stdout():
        write_stderr("error: the result cannot be written to stdout")
        code = 3
    leave(code)


def _run() -> int:
    import sys

    from orchestrator.streams import guard_streams, occupy_closed_descriptors, write_stderr

    occupy_closed_descriptors()
    guard_streams()
    from simulator.limits import PROGRAM_BYTES, address_space_problem

    if problem := address_space_problem(PROGRAM_BYTES, "Monotreme"):
        # Anything could fail from here on, and in any way.
        write_stderr(f"error: {problem}")
        return 3
    try:
        from orchestrator.command_line.entry import run

        return run(sys.argv[1:])
    # Outside the boundary in `run`: the installation is damaged, as a module cannot be loaded.
    except Exception as error:
        write_stderr(f"internal error: {type(error).__name__}: {error}")
        return 3


if __name__ == "__main__":
    main()
