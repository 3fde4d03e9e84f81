"""`python -m orchestrator` and the `monotreme` command."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line of this process and exit with its code."""
    from orchestrator.interrupts import is_interrupt
    from orchestrator.streams import write_stderr

    try:
        from orchestrator.command_line.entry import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        # Before or after the boundary in `run`, while modules are loaded or the last line is written.
        code = 130
    # Outside that boundary: the installation is damaged, as a module cannot be loaded.
    except Exception as error:
        if is_interrupt(error):
            code = 130
        else:
            write_stderr(f"internal error: {type(error).__name__}: {error}")
            code = 3
    # Nothing is freed one by one at the end: walking through all that the packages hold takes a second or two.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
