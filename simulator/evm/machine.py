"""A machine: one EVM with its state, as Python sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from simulator.evm.accounts import Accounts
from simulator.evm.arenas import Arena, read_bytes, read_int, read_word, write_bytes, write_int, write_word
from simulator.evm.code_store import CodeStore, CoveredCode, Identify
from simulator.evm.forked_state import ChainSource, ForkedState
from simulator.evm.forks import Fork, fork_named
from simulator.evm.host import Host
from simulator.evm.kernel import calls, commands
from simulator.evm.kernel import status as statuses
from simulator.evm.kernel.accounts import BLOCK_HASHES
from simulator.evm.kernel.layout import (
    account,
    context,
    log,
    slot,
)
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.kernel_loader import Kernel
from simulator.evm.machine_memory import CALLDATA_BYTES, MEMORY_BYTES, MachineMemory
from simulator.evm.results import Log, Result, Status
from simulator.evm.schedule import schedule_fields
from simulator.evm.tracer import Tracer
from simulator.precompiles import precompiles_of

# What may pile up before `is_crowded`.
CROWDED_SLOTS = 1 << 15
CROWDED_ACCOUNTS = 1 << 14
CROWDED_CODE_BYTES = 32 << 20

CHEATCODE_ADDRESS = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D
CONSOLE_ADDRESS = 0x000000000000000000636F6E736F6C652E6C6F67


@dataclass(frozen=True)
class BlockEnvironment:
    """The block that transactions run in. The defaults suit a fuzz campaign."""

    number: int = 1
    timestamp: int = 1
    coinbase: int = 0
    prevrandao: int = 0
    gas_limit: int = 30_000_000
    base_fee: int = 0
    blob_base_fee: int = 1
    chain_id: int = 1


class Machine:
    """State and execution. Everything is synchronous; no instance may be used by two threads at once.

    `identify(code, is_creation)` tells which compiled contract a code that appears at run time belongs to, for
    coverage. `code_size_limit` replaces the fork's limit on runtime code; creation code may then be twice as long.
    `host_addresses` gives the cheatcode and console addresses to the host. `memory_bytes` is the address space for the
    memories of all frames together; a transaction that needs more fails with ARENA_EXHAUSTED.
    """

    def __init__(
        self,
        kernel: Kernel,
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
        self.tracer: Tracer | None = None
        self.forked: ForkedState | None = None
        checked = not kernel.compiled
        self._context = self._arena(context.SIZE)
        self.context_address = self._context.address
        self._integers = memoryview(self._context.buffer).cast("q")
        self._space = MachineMemory(kernel, self.fork, memory_bytes)
        for field, value in (*self._space.fields(), *schedule_fields(self.fork, code_size_limit)):
            self.set(field, value)
        self.set(context.COMMAND_A, self.get(context.HELPERS))
        self.native(commands.HELPER_ADDRESSES)
        self.accounts = Accounts(self.context_address, self.native, checked=checked)
        self.code_store = CodeStore(self.context_address, self.native, identify, checked=checked)
        self.host = Host(self)
        self._add_host_addresses(host_addresses)
        self.set_block(chain or BlockEnvironment())

    @property
    def precompile_fork(self) -> str:
        """Name of the fork whose precompiled contracts this machine has."""
        return self.fork.precompiles or self.fork.name

    def fork_chain(self, source: ChainSource, block: BlockEnvironment) -> None:
        """Put the machine on a forked chain, in the environment of the forked block: what it has no record of is
        fetched from `source`. To be called once, before anything is set up. Raises `ChainError`."""
        self.forked = ForkedState(self, source, block.number)
        self.accounts.fetch_missing = self.forked.fetch_missing
        self.set_block(block)

    # --- raw access -------------------------------------------------------------------------------------------------

    def native(self, command: int) -> int:
        """Run a command of the kernel on this machine's context."""
        return self.kernel.entry(command, self.context_address)

    def get(self, field: int) -> int:
        """An integer field of the context, by its offset in `layout.context`."""
        return self._integers[field >> 3]

    def set(self, field: int, value: int) -> None:
        write_int(self.context_address + field, value)

    def get_word(self, field: int) -> int:
        return read_word(self.context_address + field)

    def set_word(self, field: int, value: int) -> None:
        """Set a word of the context. What must roll back is set with `write_journaled_word`."""
        write_word(self.context_address + field, value)

    def write_journaled_word(self, field: int, value: int) -> None:
        """Set a word of the context so that a rollback undoes it."""
        self.note(self.context_address + field)
        self.set_word(field, value)

    def note(self, address: int) -> None:
        """Let a rollback restore the 32 bytes at an address of the machine's memory, which are about to change."""
        self.set(context.COMMAND_A, address)
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
        return read_word(self.accounts.record(address) + account.BALANCE)

    def set_balance(self, address: int, balance: int) -> None:
        """Journaled."""
        self.accounts.set_balance(self.accounts.record(address), balance)

    def get_nonce(self, address: int) -> int:
        return read_int(self.accounts.record(address) + account.NONCE) & 0xFFFFFFFFFFFFFFFF

    def set_nonce(self, address: int, nonce: int) -> None:
        """Journaled."""
        self.accounts.set_nonce(self.accounts.record(address), nonce)

    def get_code(self, address: int) -> bytes:
        return self.code_store.data_of(read_int(self.accounts.record(address) + account.CODE))

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
        forked = self.get(context.FORKED)
        self.set(context.FORKED, 0)
        try:
            entry = self.accounts.entry_of(BLOCK_HASHES, number)
        finally:
            self.set(context.FORKED, forked)
        self.note(entry + slot.VALUE)
        write_word(entry + slot.VALUE, value)

    def mark(self) -> int:
        """A snapshot: the journal's position."""
        return self.get(context.JOURNAL_TOP)

    def rollback(self, mark: int) -> None:
        """Undo everything since the mark was taken: state, created accounts, journaled block values."""
        self.set(context.COMMAND_A, mark)
        self.native(commands.ROLLBACK)

    def seal(self) -> None:
        """The present state is what `recycle` goes back to."""
        self._sealed_accounts = self.get(context.ACCOUNTS_USED)
        self._sealed_slots = self.get(context.SLOTS_USED)
        self.code_store.seal()

    @property
    def is_crowded(self) -> bool:
        """Whether accounts, slots or codes of undone transactions take memory worth having back."""
        return (
            self.get(context.SLOTS_USED) > max(CROWDED_SLOTS, 2 * self._sealed_slots)
            or self.get(context.ACCOUNTS_USED) > self._sealed_accounts + CROWDED_ACCOUNTS
            or self.code_store.bytes_used > CROWDED_CODE_BYTES + self.code_store.sealed_bytes
        )

    def recycle(self) -> None:
        """Forget accounts, slots and codes that appeared since `seal`. The state must be rolled back to what it was."""
        self.accounts.forget_after(self._sealed_accounts)
        self.accounts.compact_slots()
        self._sealed_slots = max(self._sealed_slots, self.get(context.SLOTS_USED))
        self.code_store.recycle()

    def set_block(self, block: BlockEnvironment) -> None:
        """Set the whole block environment. Not journaled."""
        for field, value in (
            (context.NUMBER, block.number),
            (context.TIMESTAMP, block.timestamp),
            (context.COINBASE, block.coinbase),
            (context.PREVRANDAO, block.prevrandao),
            (context.GASLIMIT, block.gas_limit),
            (context.BASEFEE, block.base_fee),
            (context.BLOBBASEFEE, block.blob_base_fee),
            (context.CHAINID, block.chain_id),
        ):
            self.set_word(field, value)
        if self.fork.warm_coinbase:
            self.set(context.COINBASE_ACCOUNT, self.accounts.record(block.coinbase))

    @property
    def timestamp(self) -> int:
        return self.get_word(context.TIMESTAMP)

    @timestamp.setter
    def timestamp(self, value: int) -> None:
        self.set_word(context.TIMESTAMP, value)

    @property
    def number(self) -> int:
        return self.get_word(context.NUMBER)

    @number.setter
    def number(self, value: int) -> None:
        self.set_word(context.NUMBER, value)

    @property
    def codes(self) -> list[CoveredCode]:
        """All coverage identities so far; a code record's ID is an index into this list."""
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
        nonce, which grows, or at `create_address`.

        `gas` is for execution alone. With `mint` the value appears at the callee and the sender pays nothing (fuzz
        accounting); without, it moves from the sender, who must have it. Fees and the sender's nonce are not looked at.
        """
        target = self._target(sender, to, create_address)
        self.set_word(context.TX_SENDER, sender)
        self.set_word(context.TX_VALUE, value)
        self.set(context.TX_KIND, calls.CALL if to is not None else calls.CREATE)
        self.set(context.TX_TO, self.accounts.record(target))
        self.set(context.TX_DATA, self.place_calldata(data))
        self.set(context.TX_DATA_SIZE, len(data))
        self.set(context.TX_GAS, gas)
        self.set(context.TX_MINT, int(mint))
        self.set(context.TRACING, int(self.tracer is not None))
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
        """Go on with a begun transaction until its final status, serving exits."""
        self.running = True
        try:
            while (final := self.native(commands.RUN)) == statuses.EXIT:
                self.host.serve()
        finally:
            self.running = False
        return final

    def output(self) -> bytes:
        """Output of the last transaction."""
        return read_bytes(self.get(context.RETURNDATA), self.get(context.RETURNDATA_SIZE))

    def logs(self) -> Iterator[Log]:
        """Logs of the running or last transaction, in order."""
        record, end = self.get(context.LOGS), self.get(context.LOGS_TOP)
        while record < end:
            yield read_log(record)
            record += read_int(record + log.RECORD_SIZE)

    def _target(self, sender: int, to: int | None, create_address: int | None) -> int:
        if to is not None:
            return to
        nonce = self.get_nonce(sender)
        self.set_nonce(sender, nonce + 1)
        return contract_address(sender, nonce) if create_address is None else create_address

    def place_calldata(self, data: bytes) -> int:
        """Copy calldata to where the transaction reads it; returns the address."""
        if len(data) > CALLDATA_BYTES - 64:
            raise ValueError(f"calldata of {len(data)} bytes exceeds the limit of {CALLDATA_BYTES - 64}")
        write_bytes(self._space.calldata.address, data)
        return self._space.calldata.address

    def _result(self, final: Status, gas: int, created: int | None) -> Result:
        return Result(
            status=final,
            output=self.output(),
            gas_used=gas - self.get(context.GAS),
            refund=self.get(context.REFUND),
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


def read_log(record: int) -> Log:
    """The log record at an address."""
    count = read_int(record + log.TOPIC_COUNT)
    topics = record + log.TOPICS
    return Log(
        address=read_word(record + log.ADDRESS),
        topics=tuple(read_word(topics + 32 * index) for index in range(count)),
        data=read_bytes(topics + 32 * count, read_int(record + log.DATA_SIZE)),
        depth=read_int(record + log.DEPTH),
    )


def contract_address(sender: int, nonce: int) -> int:
    """Address of the contract that a sender creates with a nonce: keccak(rlp([sender, nonce]))[12:]."""
    if nonce < 0x80:
        encoded = bytes((nonce or 0x80,))
    else:
        digits = nonce.to_bytes((nonce.bit_length() + 7) // 8, "big")
        encoded = bytes((0x80 + len(digits),)) + digits
    payload = b"\x94" + sender.to_bytes(20, "big") + encoded
    return int.from_bytes(keccak_bytes(bytes((0xC0 + len(payload),)) + payload)[12:], "big")


__all__ = [
    "CALLDATA_BYTES",
    "CHEATCODE_ADDRESS",
    "CONSOLE_ADDRESS",
    "BlockEnvironment",
    "Machine",
    "contract_address",
    "read_log",
]
