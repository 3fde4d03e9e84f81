"""A machine: one EVM with its state, as Python sees it, and what can be attached to one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from simulator.errors import KernelError
from simulator.evm.accounts import Accounts
from simulator.evm.addresses import CHEATCODE_ADDRESS, CONSOLE_ADDRESS, contract_address
from simulator.evm.arenas import Arena, read_bytes, write_bytes
from simulator.evm.block import BlockEnvironment, write_block
from simulator.evm.code_store import CodeStore, CoveredCode, Identify
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel import commands
from simulator.evm.kernel import status as statuses
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.records import Cell, Word256, pointer
from simulator.evm.kernel.state.accounts import BLOCK_HASHES
from simulator.evm.kernel_entry import Kernel
from simulator.evm.logs import log_records, read_log
from simulator.evm.machine_memory import CALLDATA_BYTES, MEMORY_BYTES, MachineMemory
from simulator.evm.results import EmittedLog, HostAnswer, Result, Status
from simulator.evm.schedule import write_schedule
from simulator.forks import Fork, fork_named
from simulator.precompiles import precompiles_of

# What may pile up before `is_crowded`.
CROWDED_SLOTS = 1 << 15
CROWDED_ACCOUNTS = 1 << 14
CROWDED_CODE_BYTES = 32 << 20


class FrameObserver(Protocol):
    """Sees frames begin and end; the machine's context describes the innermost one."""

    def on_call(self, machine: Machine) -> None: ...

    def on_return(self, machine: Machine) -> None: ...


class FrameHandler(Protocol):
    """Runs a call to an address of the host's. The machine's frame fields describe the call. With None instead of an
    answer, the frame continues as the handler has left those fields and `resume`."""

    def __call__(self, machine: Machine, data: bytes) -> HostAnswer | None: ...


class FrameWatcher(Protocol):
    """Sees frames at the exits of the tracer while `context.watching` is set; in the transaction `followed_epoch`, its
    end and the ends of those that fail."""

    def on_call(self, machine: Machine) -> HostAnswer | None:
        """A frame of code begins, as the machine's frame fields say. With an answer, its code does not run."""
        ...

    def on_precompile(self, machine: Machine) -> HostAnswer | None:
        """A precompile is called. With an answer, it does not run."""
        ...

    def on_return(self, machine: Machine) -> None:
        """The innermost frame has ended; its caller continues when the method returns, or the transaction ends."""
        ...


class ExitServer(Protocol):
    """Serves the kernel's exits. `cheatcodes` and `console` answer calls to their addresses, `watcher` sees other
    frames."""

    cheatcodes: FrameHandler | None
    console: FrameHandler | None
    watcher: FrameWatcher | None

    def serve(self) -> None:
        """Serve the exit that `run` or `begin_transaction` has just returned with. Raises `ChainError` when state of a
        forked chain cannot be had, `CallStoppedError` when the call is cancelled; the transaction is then to be given
        up and rolled back."""
        ...


class ForkedChain(Protocol):
    """The chain that a machine is on."""

    def has_contract(self, address: int) -> bool:
        """Return whether the chain has a contract at the address. A delegation (EIP-7702) makes an account no
        contract."""
        ...

    def vacate(self, address: int) -> None:
        """Let an address on the chain be as if only its balance had ever been there, so that a contract can be deployed
        at it. Not journaled."""
        ...


class Machine:
    """State and execution. Everything is synchronous; no instance may be used by two threads at once.

    `host` makes what serves the kernel's exits. `tracer` sees every frame. `is_stopped` is asked in the middle of a
    call, when another thread has set `context.wants_pause`; once it is true, the call ends with `CallStoppedError`.
    `forked` is there on a forked chain, see `forked_state.fork_chain`. `identify(code, is_creation)` tells which
    compiled contract a code that appears at run time belongs to, for coverage. `code_size_limit` replaces the fork's
    limit on runtime code; creation code may then be twice as long. `host_addresses` gives the cheatcode and console
    addresses to the host. `memory_bytes` is the address space for the memories of all frames together; a transaction
    that needs more fails with ARENA_EXHAUSTED.
    """

    def __init__(
        self,
        kernel: Kernel,
        host: Callable[[Machine], ExitServer],
        *,
        fork: str | Fork = "cancun",
        chain: BlockEnvironment | None = None,
        identify: Identify | None = None,
        code_size_limit: int | None = None,
        host_addresses: bool = True,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self.kernel = kernel
        self.fork = fork_named(fork) if isinstance(fork, str) else fork
        self.running = False
        self._sealed_accounts = self._sealed_slots = 0
        self.tracer: FrameObserver | None = None
        self.is_stopped: Callable[[], bool] = lambda: False
        self.forked: ForkedChain | None = None
        checked = not kernel.compiled
        self._context_memory = self._arena(Context.SIZE)
        self.context = view(Context, self._context_memory.address)
        self._space = MachineMemory(kernel, self.fork, memory_bytes)
        self._space.connect(self.context)
        write_schedule(self.context, self.fork, code_size_limit)
        self.context.command_a = pointer(self.context.helpers)
        self.native(commands.HELPER_ADDRESSES)
        self.accounts = Accounts(self.context, self.native, checked=checked)
        self.code_store = CodeStore(self.context, self.native, identify, checked=checked)
        self.host = host(self)
        self._add_host_addresses(host_addresses)
        self.set_block(chain or BlockEnvironment())

    @property
    def precompile_fork(self) -> str:
        """Name of the fork whose precompiled contracts this machine has."""
        return self.fork.precompiles or self.fork.name

    # --- raw access -------------------------------------------------------------------------------------------------

    def native(self, command: int) -> int:
        """Run a command of the kernel on this machine's context."""
        return self.kernel.entry(command, pointer(self.context))

    def write_journaled_word(self, field: Word256, value: int) -> None:
        """Set a word of the context so that a rollback undoes it."""
        self.note(view(Cell, pointer(self.context) + field.offset))
        field.__set__(self.context, as_word(value))

    def note(self, cell: Cell) -> None:
        """Let a rollback restore the 32 bytes of a cell of the machine's memory, which are about to change."""
        self.context.command_a = pointer(cell)
        self.native(commands.NOTE)

    # --- state -------------------------------------------------------------------------------------------------------

    def set_account(
        self,
        address: int,
        *,
        balance: int = 0,
        nonce: int = 0,
        code: bytes = b"",
        storage: Mapping[int, int] | None = None,
    ) -> None:
        """Set up an account, replacing balance, nonce and code, and writing the given slots. Journaled."""
        record = self.accounts.record(address)
        self.accounts.set_up(record, balance, nonce, self.code_store.register(code, 0))
        for key, value in (storage or {}).items():
            self.accounts.set_slot(record, key, value)

    def get_balance(self, address: int) -> int:
        return self.accounts.record(address).balance

    def set_balance(self, address: int, balance: int) -> None:
        """Journaled."""
        self.accounts.set_balance(self.accounts.record(address), balance)

    def get_nonce(self, address: int) -> int:
        return self.accounts.record(address).nonce & 0xFFFFFFFFFFFFFFFF

    def set_nonce(self, address: int, nonce: int) -> None:
        """Journaled."""
        self.accounts.set_nonce(self.accounts.record(address), nonce)

    def get_code(self, address: int) -> bytes:
        return self.code_store.data_of(self.accounts.record(address).code)

    def set_code(self, address: int, data: bytes) -> None:
        """Journaled."""
        self.accounts.set_code(self.accounts.record(address), self.code_store.register(data, 0))

    def get_storage(self, address: int, key: int) -> int:
        return self.accounts.get_slot(self.accounts.record(address), key)

    def set_storage(self, address: int, key: int, value: int) -> None:
        """Journaled."""
        self.accounts.set_slot(self.accounts.record(address), key, value)

    def set_block_hash(self, number: int, value: int) -> None:
        """Let BLOCKHASH return this for a block, unless it is 0 and the block none of a forked chain. Journaled."""
        forked = self.context.forked
        self.context.forked = False
        try:
            entry = self.accounts.entry_of(BLOCK_HASHES, number)
        finally:
            self.context.forked = forked
        self.note(entry.value_cell)
        entry.value = as_word(value)

    def mark(self) -> int:
        """A snapshot: the journal's position."""
        return self.context.journal_top

    def rollback(self, mark: int) -> None:
        """Undo everything since the mark was taken: state, created accounts, journaled block values."""
        self.context.command_a = mark
        self.native(commands.ROLLBACK)

    def seal(self) -> None:
        """The present state is what `recycle` goes back to."""
        self._sealed_accounts = self.context.accounts_used
        self._sealed_slots = self.context.slots_used
        self.code_store.seal()

    @property
    def is_crowded(self) -> bool:
        """Return whether accounts, slots or codes of undone transactions take memory worth having back."""
        return (
            self.context.slots_used > max(CROWDED_SLOTS, 2 * self._sealed_slots)
            or self.context.accounts_used > self._sealed_accounts + CROWDED_ACCOUNTS
            or self.code_store.bytes_used > CROWDED_CODE_BYTES + self.code_store.sealed_bytes
        )

    def recycle(self) -> None:
        """Forget accounts, slots and codes that appeared since `seal`. The state must be rolled back to what it was."""
        self.accounts.forget_after(self._sealed_accounts)
        self.accounts.compact_slots()
        self._sealed_slots = max(self._sealed_slots, self.context.slots_used)
        self.code_store.recycle()

    def set_block(self, block: BlockEnvironment) -> None:
        """Set the whole block environment. Not journaled."""
        write_block(self.context, block)
        if self.fork.warm_coinbase:
            self.context.coinbase_account = self.accounts.record(block.coinbase)

    @property
    def timestamp(self) -> int:
        return self.context.timestamp

    @timestamp.setter
    def timestamp(self, value: int) -> None:
        self.context.timestamp = as_word(value)

    @property
    def number(self) -> int:
        return self.context.number

    @number.setter
    def number(self, value: int) -> None:
        self.context.number = as_word(value)

    @property
    def codes(self) -> list[CoveredCode]:
        """All coverage identities so far; a code record's `id` is an index into this list."""
        return self.code_store.codes

    # --- execution ---------------------------------------------------------------------------------------------------

    def transact(
        self,
        *,
        sender: int,
        to: int | None,
        data: bytes = b"",
        value: int = 0,
        gas: int,
        mint: bool = True,
        create_address: int | None = None,
    ) -> Result:
        """Run one transaction to its end. `to` None creates a contract at the address that follows from the sender's
        nonce, which grows, or at `create_address`. A sender that is created itself has never sent anything.

        `gas` is for execution alone. With `mint` the value appears at the callee and the sender pays nothing (fuzz
        accounting); without, it moves from the sender, who must have it. Fees and the sender's nonce are not looked at.
        """
        target = self._target(sender, to, create_address)
        self.context.tx_sender = as_word(sender)
        self.context.tx_value = as_word(value)
        self.context.tx_kind = calls.CALL if to is not None else calls.CREATE
        self.context.tx_to = self.accounts.record(target)
        self.context.tx_data = self.place_calldata(data)
        self.context.tx_data_size = len(data)
        self.context.tx_gas = gas
        self.context.tx_mint = mint
        self.context.tracing = self.tracer is not None
        final = Status(self.run_transaction())
        return self._result(final, gas, None if to is not None or not final.success else target)

    def run_transaction(self) -> int:
        """Begin, run and finish the transaction that the TX_ fields describe, serving exits. Returns the status."""
        while self.native(commands.BEGIN_TRANSACTION) == statuses.EXIT:
            self.host.serve()
        final = self.run()
        self.native(commands.FINISH_TRANSACTION)
        return final

    def run(self) -> int:
        """Continue with a begun transaction until its final status, serving exits."""
        self.running = True
        try:
            while (final := self.native(commands.RUN)) == statuses.EXIT:
                self.host.serve()
        finally:
            self.running = False
        return final

    def output(self) -> bytes:
        """Output of the last transaction."""
        return read_bytes(self.context.returndata, self.context.returndata_size)

    def logs(self) -> Iterator[EmittedLog]:
        """Logs of the running or last transaction, in order."""
        return (read_log(record) for record in log_records(self.context.logs, self.context.logs_top))

    def _target(self, sender: int, to: int | None, create_address: int | None) -> int:
        if to is not None:
            return to
        if create_address == sender:
            self.set_nonce(sender, 0)  # An account may be its own creator, as in Echidna.
            return sender
        nonce = self.get_nonce(sender)
        self.set_nonce(sender, nonce + 1)
        return contract_address(sender, nonce) if create_address is None else create_address

    def place_calldata(self, data: bytes) -> int:
        """Copy calldata to where the transaction reads it; returns the address."""
        if len(data) > CALLDATA_BYTES - 64:
            raise KernelError(f"{len(data):,} bytes of input are more than the limit of {CALLDATA_BYTES - 64:,}")
        write_bytes(self._space.calldata.address, data)
        return self._space.calldata.address

    def _result(self, final: Status, gas: int, created: int | None) -> Result:
        return Result(
            status=final,
            output=self.output(),
            gas_used=gas - self.context.gas,
            refund=self.context.refund,
            logs=tuple(self.logs()),
            created=created,
        )

    # --- what the host asks for --------------------------------------------------------------------------------------

    def on_call(self) -> None:
        """A frame begins: tell the tracer."""
        if self.tracer is not None:
            self.tracer.on_call(self)

    def on_return(self) -> None:
        """A frame has ended: tell the tracer."""
        if self.tracer is not None:
            self.tracer.on_return(self)

    def grow_slots(self) -> bool:
        return self.accounts.grow_slots()

    def grow_accounts(self) -> bool:
        return self.accounts.grow_index()

    # --- set-up ------------------------------------------------------------------------------------------------------

    def _arena(self, size: int) -> Arena:
        return Arena(size, checked=not self.kernel.compiled)

    def _add_host_addresses(self, cheatcodes: bool) -> None:
        for number in precompiles_of(self.precompile_fork):
            if number > self.fork.precompile_limit:
                break
            self.accounts.make_host_code(number, calls.PRECOMPILE, number)
        if cheatcodes:
            self.accounts.make_host_code(CHEATCODE_ADDRESS, calls.CHEATCODE, 0)
            self.accounts.make_host_code(CONSOLE_ADDRESS, calls.CONSOLE, 0)
