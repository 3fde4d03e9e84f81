"""`python -m orchestrator` and the `monotreme` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process and exit with its code."""
    try:
        from orchestrator.command_line.entry import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        # Before or after the boundary in `run`, while modules are loaded or the last line is written.
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
