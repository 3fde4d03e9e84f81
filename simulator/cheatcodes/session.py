"""What the handlers of cheatcodes work with: the machine, the frame that called, and the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator.cheatcodes.errors import CheatcodeError
from simulator.cheatcodes.state import State
from simulator.evm.arenas import read_int, read_word
from simulator.evm.kernel.layout import account, context, frame
from simulator.evm.machine import CHEATCODE_ADDRESS, CONSOLE_ADDRESS, Machine
from simulator.project import Project

RESERVED = frozenset((CHEATCODE_ADDRESS, CONSOLE_ADDRESS, *range(1, 0x12), 0x100))


class Session:
    """One per machine. `labels` are the names given by `label`, for traces; the last one wins and none is undone."""

    def __init__(self, machine: Machine, project: Project, *, allow_ffi: bool, warn: Callable[[str], None]) -> None:
        self.machine = machine
        self.project = project
        self.allow_ffi = allow_ffi
        self.warn = warn
        self.labels: dict[int, str] = {}
        self._warned: set[str] = set()
        self._states = [State()]

    def warn_once(self, text: str) -> None:
        """Tell the user, unless that was done before."""
        if text not in self._warned:
            self._warned.add(text)
            self.warn(text)

    @property
    def root(self) -> Path:
        """The project's folder."""
        return Path(self.project.root)

    # --- the frame that called the cheatcode -----------------------------------------------------------------------

    @property
    def frame(self) -> int:
        """Record of the cheatcode's own frame."""
        return self.machine.get(context.FRAME)

    @property
    def caller(self) -> int:
        """Address of the account whose code called the cheatcode."""
        if self.machine.get(context.DEPTH) == 0:
            return self.machine.get_word(context.CALLER)
        return read_word(self.frame + frame.ADDRESS)

    @property
    def caller_depth(self) -> int:
        """Call depth of the frame that called, 0 for the transaction's own, -1 when there is none."""
        return self.machine.get(context.DEPTH) - 1

    # --- what cheatcodes remember -------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        return self._states[self.machine.get(context.HOST_STATE)]

    def change(self, **changes: Any) -> None:
        """Replace fields of the state, to be undone with everything else."""
        self._replace(replace(self.state, **changes))

    def _replace(self, state: State) -> None:
        number = self.machine.get(context.HOST_STATE) + 1
        del self._states[number:]
        self._states.append(state)
        self.machine.note(self.machine.context_address + context.HOST_CELL)
        self.machine.set(context.HOST_STATE, number)
        self.machine.set(context.WATCHING, int(state.watches))

    # --- writing state ---------------------------------------------------------------------------------------------

    def set_block_word(self, field: int, value: int) -> None:
        """Set a word of the block or transaction environment, to be undone with everything else."""
        self.machine.write_journaled_word(field, value)

    def changeable(self, address: int) -> int:
        """The address itself. Raises `CheatcodeError` for accounts that are no contracts of the chain."""
        if address in RESERVED:
            raise CheatcodeError(f"{address:#042x} is a precompile or a cheatcode address, and cannot be changed")
        return address

    def slots_of(self, address: int) -> list[tuple[int, int]]:
        """Key and value of every slot that is not zero. Looks through the machine's whole storage."""
        accounts = self.machine.accounts
        owner = read_int(accounts.record(address) + account.STORAGE_ID)
        return [(key, value) for slot_owner, key, value in accounts.all_slots() if slot_owner == owner]
