"""`python -m orchestrator` and the `monotreme` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process and exit with its code."""
    from orchestrator.command_line.entry import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
