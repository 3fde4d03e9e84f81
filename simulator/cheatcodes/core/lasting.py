"""Effects of cheatcodes that stay when the frame they happened in reverts, but not its transaction."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from simulator.evm.machine import Machine

Effect = Callable[[], None]


class LastingEffects:
    """The latest effect of each kind in the running transaction, with the position of the journal before it."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._epoch = 0
        self._effects: dict[Hashable, tuple[int, Effect]] = {}

    def add(self, kind: Hashable, effect: Effect) -> None:
        """Do `effect`, which takes the place of an earlier one of its kind, and keep it."""
        if self._epoch != self._machine.context.epoch:
            self._epoch = self._machine.context.epoch
            self._effects.clear()
        self._effects[kind] = (self._machine.mark(), effect)
        effect()

    def restore(self, mark: int, wanted: Callable[[Hashable], bool] = lambda _: True) -> None:
        """Do once more what was undone when a frame went back to a mark of the journal; only effects of kinds that are
        `wanted`."""
        if self._epoch != self._machine.context.epoch:
            return
        for kind, (position, effect) in list(self._effects.items()):
            if position >= mark and wanted(kind):
                self.add(kind, effect)
