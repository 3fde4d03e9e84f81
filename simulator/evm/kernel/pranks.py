"""Calls and creations in another account's name, as the host's cheatcodes ask for them."""

from __future__ import annotations

from simulator.evm.kernel.frames import set_account
from simulator.evm.kernel.journal import note_write
from simulator.evm.kernel.layout import account, context, prank
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.reads import EVERYTHING


@kernel
def find_prank(c: int) -> int:
    """The prank on calls of the running frame, or 0."""
    depth = load_i64(c + context.DEPTH) + 1
    caller = load_word(c + context.ADDRESS)
    for index in range(load_i64(c + context.PRANK_COUNT)):
        record = c + context.PRANKS + index * prank.SIZE
        if load_i64(record + prank.DEPTH) == depth and load_word(record + prank.CALLER) == caller:
            return record
    return 0


@kernel
def find_delegate_prank(c: int) -> int:
    """The prank on DELEGATECALLs of the running frame, or 0."""
    record = find_prank(c)
    if record and load_i64(record + prank.FLAGS) & prank.WITH_DELEGATECALL:
        return record
    return 0


@kernel
def payer_of(c: int, record: int) -> int:
    """Account record of the account that calls or creates: the prank's, or the running frame's when there is none."""
    return load_i64(record + prank.PAYER) if record else load_i64(c + context.ACCOUNT)


@kernel
def use_prank(c: int, record: int) -> int:
    """The call happens, its frame is not yet pushed: a prank for one call ends."""
    if load_i64(record + prank.FLAGS) & prank.ONCE:
        note_write(c, record + prank.DEPTH, EVERYTHING)
        store_i64(record + prank.DEPTH, 0)
    return 0


@kernel
def enter_prank(c: int, record: int, is_delegated: bool) -> int:
    """CALLER and ORIGIN of the pushed frame; a delegated call runs as the prank's account altogether."""
    payer = load_i64(record + prank.PAYER)
    store_word(c + context.CALLER, load_word(payer + account.ADDRESS))
    if load_i64(record + prank.FLAGS) & prank.WITH_ORIGIN:
        store_word(c + context.ORIGIN, load_word(record + prank.ORIGIN))
    if is_delegated:
        store_word(c + context.ADDRESS, load_word(payer + account.ADDRESS))
        set_account(c, payer)
    return 0
