"""The EVM's commands of the one exported symbol, `entry(command, context)`.

Numbers from 32 on belong to the fuzz loop; `simulator.native_build` joins both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.evm.kernel.records import Record

RUN = 0
BEGIN_TRANSACTION = 1
FINISH_TRANSACTION = 2
ROLLBACK = 3
NOTE = 4
FIND_ACCOUNT = 5
INDEX_ACCOUNTS = 6
FIND_CODE = 7
ADD_CODE = 8
DECODE = 9
HASH = 10
MOVE_SLOTS = 11
MOVE_JOURNAL = 12
FIND_SLOT = 13
PEEK_SLOT = 14
REPLAY = 15
HELPER_ADDRESSES = 16


def record_of(function: Callable[..., Any]) -> type[Record]:
    """The record that a command works on: `Context`, or `Fuzz`."""
    plain = getattr(function, "py_func", function)
    (annotation,) = (kind for name, kind in plain.__annotations__.items() if name != "return")
    found: type[Record] = plain.__globals__[annotation]
    return found


def plain_entry(table: dict[int, Callable[..., int]]) -> Callable[[int, int], int]:
    """`entry(command, context)` of the plain twin, over these commands."""
    records = {number: record_of(function) for number, function in table.items()}
    return lambda command, context: table[command](records[command](context))


def command_table() -> dict[int, Callable[..., Any]]:
    """The EVM's commands by number."""
    from simulator.evm.kernel.code import codes, compiled_code, decoder
    from simulator.evm.kernel.memory import keccak
    from simulator.evm.kernel.run import replay, running, transactions
    from simulator.evm.kernel.state import accounts, journal, storage

    return {
        RUN: running.run,
        BEGIN_TRANSACTION: transactions.begin_transaction,
        FINISH_TRANSACTION: transactions.finish_command,
        ROLLBACK: journal.rollback_command,
        NOTE: journal.note_command,
        FIND_ACCOUNT: accounts.find_account_command,
        INDEX_ACCOUNTS: accounts.index_accounts_command,
        FIND_CODE: codes.find_code_command,
        ADD_CODE: codes.add_code_command,
        DECODE: decoder.decode_command,
        HASH: keccak.hash_command,
        MOVE_SLOTS: storage.move_slots_command,
        MOVE_JOURNAL: storage.move_journal_command,
        FIND_SLOT: storage.find_slot_command,
        PEEK_SLOT: storage.peek_slot_command,
        REPLAY: replay.replay_command,
        HELPER_ADDRESSES: compiled_code.helper_addresses_command,
    }
