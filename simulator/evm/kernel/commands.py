"""The commands of the one exported symbol, `entry(command, context)`, and the list of all modules that it is made of.

Modules of `simulator.fuzz.native` take part when they are there: `@command(NAME_OF_YOUR_OWN)` with a number from
FIRST_OF_FUZZ on makes a kernel function of one argument, the context, a command.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, TypeVar

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
FIRST_OF_FUZZ = 32

FUZZ_PACKAGE = "simulator.fuzz.native"
Function = TypeVar("Function", bound=Callable[..., Any])
_registered: dict[int, Callable[..., Any]] = {}


def command(number: int) -> Callable[[Function], Function]:
    """Register a kernel function of a fuzz module as command `number`, 32 or more."""

    def register(function: Function) -> Function:
        if number < FIRST_OF_FUZZ or number in _registered:
            raise ValueError(f"command {number} is taken or below {FIRST_OF_FUZZ}")
        _registered[number] = function
        return function

    return register


def import_fuzz_modules() -> None:
    """Import every module of the fuzz package, in order of their names."""
    try:
        package = importlib.import_module(FUZZ_PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != FUZZ_PACKAGE:
            raise
        return
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        importlib.import_module(f"{FUZZ_PACKAGE}.{module.name}")


def command_table() -> dict[int, Callable[..., Any]]:
    """All commands by number."""
    from simulator.evm.kernel import (
        accounts,
        codes,
        compiled_code,
        decoder,
        journal,
        keccak,
        replay,
        running,
        storage,
        transactions,
    )

    import_fuzz_modules()
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
        **_registered,
    }
