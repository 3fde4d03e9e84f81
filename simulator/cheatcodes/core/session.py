"""Session that the handlers of cheatcodes work with: the machine, the frame that called, and the settings."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol

from simulator.cheatcodes.core.account_accesses import AccessRecorder
from simulator.cheatcodes.core.errors import AssertionFailedError, CheatcodeError
from simulator.cheatcodes.core.frames import error_data
from simulator.cheatcodes.core.lasting import Effect, LastingEffects
from simulator.cheatcodes.core.rules import ECHIDNA_RULES, CheatcodeRules
from simulator.cheatcodes.core.state import State
from simulator.evm.addresses import CHEATCODE_ADDRESS, CONSOLE_ADDRESS
from simulator.evm.arenas import Arena, write_bytes
from simulator.evm.kernel.layout.code import RUNTIME
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.records import Int64, Word256
from simulator.evm.machine import Machine
from simulator.evm.results import EmittedLog
from simulator.policy import USER, Policy
from simulator.project import Project
from simulator.settings import ForkSettings

MAX_PLACED = 4 << 20
# Bits of Context.recording: who wants the kernel to note accesses.
RECORDS_SLOTS = 1
RECORDS_DIFF = 2
RECORDS_MAPPINGS = 4
PRANK = "prank"
"""The kind of lasting effects that also outlive a transaction that fails, before the address of the record."""
RESERVED = frozenset((CHEATCODE_ADDRESS, CONSOLE_ADDRESS, *range(1, 0x12), 0x100))


class ArbitrarySlots(Protocol):
    """Accounts whose slots hold arbitrary words until they are written."""

    def begin(self, address: int, source: int, *, keeps: bool) -> None: ...

    def source_of(self, address: int) -> int | None: ...


def _is_prank(kind: Hashable) -> bool:
    return isinstance(kind, tuple) and kind[0] == PRANK


class Session:
    """One per machine.

    `labels` are the names given by `label`, for traces; the last one wins and none is undone. `rules` say what depends
    on the program whose tests run. `seen_calls` counts calls and creations that are expected, `reverters` holds who
    reverted first since a revert was expected or assumed away, by that number. `expected_below` is the number of the
    expected revert since which a creation has ended below the frame that expects it. `fork` is the chain that the
    machine is on, if any. `recorders` are those of state diffs by their numbers, `lost_logs` what failed frames of the
    transaction `lost_epoch` logged. `file_changes` counts changes of files. `arbitrary` are arbitrary slots, once
    somebody has asked for some.
    """

    RUNNING: ClassVar = object()
    """Returned by a handler whose frame continues to run code."""

    def __init__(
        self,
        machine: Machine,
        project: Project,
        *,
        allow_ffi: bool,
        warn: Callable[[str], None],
        fork: ForkSettings | None = None,
        policy: Policy = USER,
        rules: CheatcodeRules = ECHIDNA_RULES,
    ) -> None:
        self.machine = machine
        self.project = project
        self.policy = policy
        self.allow_ffi = allow_ffi and policy.may_use_ffi
        self.warn = warn
        self.fork = fork
        self.rules = rules
        self.labels: dict[int, str] = {}
        self.seen_calls: dict[int, int] = {}
        self.reverters: dict[int, int] = {}
        self.expected_below = 0
        self.measures_calls = False
        self.recorders: dict[int, AccessRecorder] = {}
        self.lost_logs: list[tuple[int, EmittedLog]] = []
        self.lost_epoch = 0
        self.file_changes = 0
        self.arbitrary: ArbitrarySlots | None = None
        self._warned: set[str] = set()
        self._states = [State()]
        self._ids = 0
        self._placed: Arena | None = None
        self._lasting = LastingEffects(machine)
        self._changed_epoch = 0

    def warn_once(self, text: str) -> None:
        """Tell the user, unless that was done before."""
        if text not in self._warned:
            self._warned.add(text)
            self.warn(text)

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self.project.folder

    # --- the frame that called the cheatcode -----------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """Record of the cheatcode's own frame."""
        return self.machine.context.frame

    @property
    def caller(self) -> int:
        """Address of the account whose code called the cheatcode."""
        if self.machine.context.depth == 0:
            return self.machine.context.caller
        return self.frame.address

    @property
    def caller_depth(self) -> int:
        """Call depth of the frame that called, 0 for the transaction's own, -1 when there is none."""
        return self.machine.context.depth - 1

    @property
    def gas_left(self) -> int:
        """Gas of the frame that called, the cheatcode's own included."""
        kept = self.frame.gas if self.caller_depth >= 0 else 0
        return kept + self.machine.context.gas

    def measure_calls(self) -> None:
        """Keep the gas of the last call from here on, which means watching every frame."""
        self.measures_calls = True
        self.machine.context.watching = True

    @property
    def recorder(self) -> AccessRecorder | None:
        """That of the state diff that is recorded, if one is."""
        return self.recorders.get(self.state.recorder)

    def record_accesses(self, who: int) -> int:
        """Let the kernel note accesses for one more. Returns the index of the first record to come."""
        machine, recording = self.machine, self.machine.context.recording
        if not recording & ~who and (who == RECORDS_SLOTS or self.state.accesses is None):
            machine.context.accesses_count = 0
        self.set_cell(Context.recording, recording | who)
        return machine.context.accesses_count

    def stop_recording(self, who: int) -> None:
        """Nothing is noted for this one any more."""
        self.set_cell(Context.recording, self.machine.context.recording & ~who)

    # --- what cheatcodes remember -------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        return self._states[self.machine.context.host_state]

    @property
    def last_state(self) -> State:
        """The newest state of the running transaction, whatever was undone since."""
        return self._states[-1] if self._changed_epoch == self.machine.context.epoch else self.state

    def change(self, **changes: Any) -> None:
        """Replace fields of the state, to be undone with everything else."""
        self._replace(replace(self.state, **changes))

    def _replace(self, state: State) -> None:
        number = self.machine.context.host_state + 1
        del self._states[number:]
        self._states.append(state)
        self.set_cell(Context.host_state, number)
        self.machine.context.watching = state.watches or self.measures_calls
        self._changed_epoch = self.machine.context.epoch
        self._follow()

    # --- what outlives the revert of a frame --------------------------------------------------------------------------

    def lasting(self, kind: Hashable, effect: Effect, account: int | None = None, undo: Effect | None = None) -> None:
        """Do something that stays when a frame reverts, where the rules say so: see `LastingEffects.add`. It must go
        through the journal."""
        if self.rules.effects_outlive_reverts:
            self._lasting.add(kind, effect, account, undo)
            self._follow()
        else:
            effect()

    def _follow(self) -> None:
        """Have the rest of the transaction shown to the watcher, which calls `restore_lasting`."""
        if self.rules.effects_outlive_reverts:
            self.machine.context.followed_epoch = self.machine.context.epoch

    def restore_lasting(self, mark: int) -> None:
        """A frame was undone to a mark of the journal: do again what outlives that."""
        if not self.rules.effects_outlive_reverts:
            return
        self._lasting.restore(mark)
        is_undone = self.machine.context.host_state < len(self._states) - 1
        if is_undone and self._changed_epoch == self.machine.context.epoch:
            self._replace(self._states[-1])

    def end_lasting(self) -> None:
        """The transaction ends well."""
        if self.rules.effects_outlive_reverts:
            self._lasting.end()

    def restore_pranks(self, mark: int) -> None:
        """The transaction has failed and was undone: pranks that it began or ended reach the next one all the same."""
        if self.rules.effects_outlive_reverts:
            self._lasting.restore(mark, _is_prank)

    # --- how cheatcodes fail ------------------------------------------------------------------------------------------

    def revert_data(self, error: Exception) -> bytes:
        """Return the revert data of a call that a cheatcode makes fail."""
        is_forges = self.rules.errors_are_forges
        text = error.forge_text if is_forges and isinstance(error, AssertionFailedError) else str(error)
        return error_data(text, is_forges=is_forges)

    # --- cells --------------------------------------------------------------------------------------------------------

    def set_cell(self, field: Int64, value: int) -> None:
        """Set a field of the context's host cell, to be undone with everything else."""
        self.machine.note(self.machine.context.host_cell)
        field.__set__(self.machine.context, value)

    def next_id(self) -> int:
        """A number that was not given out before."""
        self._ids += 1
        return self._ids

    def place(self, data: bytes) -> int:
        """Put calldata where the frame can read it until it calls or creates. Returns the address."""
        if len(data) > MAX_PLACED:
            raise CheatcodeError(f"creation code and arguments of more than {MAX_PLACED} bytes")
        if self._placed is None:
            self._placed = Arena(MAX_PLACED + 64, checked=not self.machine.kernel.compiled)
        write_bytes(self._placed.address, data)
        return self._placed.address

    # --- writing state ---------------------------------------------------------------------------------------------

    def set_block_word(self, field: Word256, value: int) -> None:
        """Set a word of the block or transaction environment, to be undone with everything else."""
        self.lasting(field.offset, lambda: self.machine.write_journaled_word(field, value))

    def changeable(self, address: int) -> int:
        """The address itself. Raises `CheatcodeError` for accounts that are no contracts of the chain."""
        if address in RESERVED:
            raise CheatcodeError(f"{address:#042x} is a precompile or a cheatcode address, and cannot be changed")
        return address

    def mockable(self, address: int) -> int:
        """The address itself, of a contract or a precompile. Raises `CheatcodeError`."""
        return self.changeable(address) if address in (CHEATCODE_ADDRESS, CONSOLE_ADDRESS) else address

    def storable(self, address: int) -> int:
        """The address itself, which may be the cheatcodes' own: assertions note failures there. Raises
        `CheatcodeError`."""
        return address if address == CHEATCODE_ADDRESS else self.changeable(address)

    def need_room(self) -> None:
        """Raise `CheatcodeError` when the journal is full."""
        if self.machine.mark() >= self.machine.context.journal_limit:
            raise CheatcodeError("the journal of the EVM is full")

    def give_some_code(self, address: int) -> None:
        """A STOP: Solidity does not call what has no code."""
        accounts, codes = self.machine.accounts, self.machine.code_store
        accounts.set_code(accounts.record(address), codes.register_uncounted(b"\x00", RUNTIME))

    def slots_of(self, address: int) -> list[tuple[int, int]]:
        """Key and value of every slot that is not zero. Looks through the machine's whole storage."""
        accounts = self.machine.accounts
        owner = accounts.record(address).storage_id
        return [(key, value) for slot_owner, key, value in accounts.all_slots() if slot_owner == owner]
