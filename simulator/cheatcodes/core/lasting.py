"""Effects of cheatcodes that stay when the frame they happened in reverts, but not its transaction.

Some of them stay for the rest of the transaction only, unless it touches the account that they are about: forge keeps
of a transaction what it has touched, and a revert takes that back.
"""

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
        self._undo: dict[Hashable, tuple[int, Effect]] = {}
        self._taken_back: dict[Hashable, tuple[int, Effect]] = {}

    def add(self, kind: Hashable, effect: Effect, account: int | None = None, undo: Effect | None = None) -> None:
        """Do `effect`, which takes the place of an earlier one of its kind, and keep it. With `account` and `undo`, it
        stays for this transaction only where a revert took it back and nothing else touches the account."""
        if self._epoch != self._machine.context.epoch:
            self._epoch = self._machine.context.epoch
            self._effects.clear()
            self._undo.clear()
            self._taken_back.clear()
        self._taken_back.pop(kind, None)
        if account is not None and undo is not None:
            self._undo.setdefault(kind, (account, undo))
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
                if kind in self._undo:
                    self._taken_back[kind] = self._undo[kind]

    def end(self) -> None:
        """The transaction ends well: undo what a revert took back of accounts that were not touched otherwise."""
        if self._epoch != self._machine.context.epoch:
            return
        for account, undo in self._taken_back.values():
            if self._machine.accounts.record(account).touched_epoch != self._epoch:
                undo()
        self._taken_back.clear()
