"""A kernel that is ready to run."""

from __future__ import annotations

from collections.abc import Callable


class Kernel:
    """`entry(command, context)` and the handlers' numbers; `key` names everything that the object code depends on.

    `simulator.kernel_loader` makes one: compiled, or the same source as plain Python.
    """

    def __init__(
        self, entry: Callable[[int, int], int], handlers: tuple[str, ...], *, compiled: bool, key: str = ""
    ) -> None:
        self.entry = entry
        self.handlers = {name: number for number, name in enumerate(handlers)}
        self.compiled = compiled
        self.key = key
