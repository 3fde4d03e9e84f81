"""Commands that run a module of this program in a process of its own."""

import sys


def module_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module. It imports nothing from the current folder, which may be a hostile project's."""
    return [sys.executable, "-P", "-m", module, *arguments]
