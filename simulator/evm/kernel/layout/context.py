"""The context: one block of memory that holds the whole state of a machine, or the addresses of it."""

from __future__ import annotations

from simulator.evm.kernel.layout.access import Access
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.comparison import Comparison
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.decode_entry import DecodeEntry
from simulator.evm.kernel.layout.decoding import Decoding
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.layout.hashed_pair import HashedPair
from simulator.evm.kernel.layout.helpers import Helpers
from simulator.evm.kernel.layout.kept_hash import KeptHash
from simulator.evm.kernel.layout.log import Log
from simulator.evm.kernel.layout.prank import Prank
from simulator.evm.kernel.layout.slot import Slot
from simulator.evm.kernel.records import (
    Bytes,
    Cell,
    Flag,
    Inline,
    Int32s,
    Int64,
    Int64s,
    Record,
    Records,
    References,
    To,
    Word256,
    Words,
)

MAX_CELLS = 4
MAX_PRANKS = 8
MAX_EVENTS = 16
KEPT_DIGESTS = 32


class Context(Record):
    # --- running frame: copied to locals by `run`, and back before anything leaves the loop ---------------------------
    ip = Int64()  # address of the next instruction; between blocks, of a block header
    sp = To(Words)  # first free stack slot; words before it are the stack's, the top at -1
    gas = Int64()
    memory = Int64()  # address of the frame's memory
    memory_size = Int64()  # bytes, a multiple of 32
    stack = To(Words)  # of the frame, from its lowest slot
    calldata = Int64()
    calldata_size = Int64()
    cells = Int64()  # address of the coverage cells of the running code
    cell = To(CoverageCell)  # of the block that runs; none before the first
    depth_bit = Int64()  # bit of the call depth in a coverage cell

    # --- running frame: read and written in place ---------------------------------------------------------------------
    code = To(Code)
    account = To(Account)  # whose storage and balance are used
    storage_owner = Int64()  # that account's storage id
    static = Flag()  # the context is static
    depth = Int64()  # 0 in the transaction's own frame
    frame = To(Frame)  # of the running frame
    wants_pause = Flag()  # set from outside, at any time: exit at the next block, before it is paid for

    # --- transaction: filled by the caller of begin_transaction -------------------------------------------------------
    tx_kind = Int64()  # calls.CALL or calls.CREATE
    tx_to = To(Account)  # the callee, or the account to create
    tx_data = Int64()  # address of calldata or creation code
    tx_data_size = Int64()
    tx_gas = Int64()  # gas for execution, intrinsic gas already taken
    tx_mint = Flag()  # value appears at the callee and the sender pays nothing (fuzz accounting)

    # --- transaction: results -----------------------------------------------------------------------------------------
    status = Int64()  # final status, see status.py
    returndata = Int64()  # address of the return data buffer
    returndata_size = Int64()
    returndata_limit = Int64()  # capacity of that buffer
    refund = Int64()
    epoch = Int64()  # number of the transaction; what carries an older epoch is cold, transient or undone
    watched_event = Flag()  # a log had a watched topic, also when its frame reverted later
    rejected = Int64()  # not 0 once a cheatcode said why the transaction proves nothing, see simulator/cheatcodes
    followed_epoch = Int64()  # the transaction of this number exits at its end, and at that of every frame that fails
    cheatcodes_are_free = Flag()  # a call to the cheatcode address costs nothing but memory
    ends_pranks = Flag()  # a prank ends with the transaction that began it
    native_cheatcodes = Flag()  # the kernel serves what it can, see calls/cheatcodes.py
    console_may_revert = Flag()  # the host answers calls to the console
    effects_outlive_reverts = Flag()  # those of cheatcodes, the reverts of frames inside of the transaction
    prank_left = Int64()  # what calls/cheatcodes.py did last to the first prank record in this transaction: nothing,
    prank_flags = Int64()  # begin it with these flags
    prank_payer = To(Account)  # and this account; or end it
    volatile_read = Int64()  # reads.BLOCK once the block environment was read, reads.ANYTHING for what is not tracked
    dirty = Int64()  # readers of what was written, with reads.ANYTHING; grows until the fuzz loop empties it
    reader = Int64()  # bit of the reader whose reads are marked, 0 for none, see reads.py
    read_count = Int64()  # cells that the reader read, of which the first MAX_CELLS stand in read_cells
    last_side = To(CoverageCell)  # of the branch that was taken last
    failed_side = To(CoverageCell)  # that of the frame whose failure came first, while its callers pass it on
    failed_return = Int64()  # program counter that its innermost function would return to, 0 for none
    failed_log = To(Log)  # the last log of that frame, or none
    last_log = To(Log)  # written last
    returned_at = Int64()  # where the return data was copied to, 0 when it was not
    event_count = Int64()  # watched events by place and message, at most MAX_EVENTS
    new_coverage = Int64()  # grows when a cell gains a depth, an outcome, or a branch side its first hit

    # --- resuming -----------------------------------------------------------------------------------------------------
    resume = Int64()  # how `run` starts, see status.py
    exit_reason = Int64()
    exit_address = Int64()  # what the exit is about: bytes, or an account record
    exit_size = Int64()
    exit_detail = Int64()  # arena, precompile number or code kind
    finish_status = Int64()  # a frame ended by the host: how, ...
    finish_gas = Int64()  # gas left,
    finish_output = Int64()  # output address
    finish_output_size = Int64()  # and size
    tracing = Flag()  # exit at every entry and end of a frame
    comparisons_on = Flag()
    command_a = Int64()  # arguments and results of commands that take some
    command_b = Int64()
    command_c = Int64()
    command_d = Int64()

    # --- arenas: address of the first byte, and the limit -------------------------------------------------------------
    stack_start = To(Words)
    memory_start = Int64()
    memory_end = Int64()
    frames = To(Frame)  # of the transaction's own frame
    journal = Int64()
    journal_top = Int64()  # byte offset of the next entry from journal: a mark is a value of this field
    journal_limit = Int64()
    logs = To(Log)  # the first log record
    logs_top = To(Log)  # where the next log record will stand
    logs_end = Int64()
    slots = To(Records[Slot])  # storage map: open addressing over storage entries
    slots_mask = Int64()  # capacity - 1
    slots_used = Int64()
    account_index = To(References[Account])  # open addressing
    account_index_mask = Int64()
    accounts = To(Records[Account])
    accounts_used = Int64()
    accounts_limit = Int64()
    code_index = To(References[Code])  # open addressing, by code hash
    code_index_mask = Int64()
    codes_used = Int64()
    destroyed = To(References[Account])  # destroyed in this transaction
    destroyed_count = Int64()
    destroyed_limit = Int64()
    hash_cache = To(Records[HashedPair])  # direct-mapped
    comparisons = To(Records[Comparison])  # a ring
    comparisons_mask = Int64()
    comparisons_count = Int64()  # records appended so far
    next_storage_id = Int64()
    forked = Flag()  # what has no record is fetched from a chain by the host, see simulator/evm/forked_state.py
    missing_kind = Int64()  # what was missing last: 0 nothing, 1 the account `missing`, 2 that slot of `missing_owner`
    missing_owner = Int64()
    empty_code = To(Code)
    fusion_table = To(Int32s)  # trie of superinstructions, 0 for none
    fusion_width = Int64()  # entries of a row
    fusion_lengths = To(Int32s)  # for each handler: instructions that it covers
    decode_table = To(Records[DecodeEntry])  # 256 entries, of the fork
    coinbase_account = To(Account)  # warmed with every transaction; none before Shanghai
    factory = To(Account)  # of contracts that are created through it, see prank.py; none unless the host names it
    helpers = To(Helpers)  # kernel functions that compiled code calls, see layout/helpers.py
    accesses = To(Records[Access])  # while `recording`
    accesses_count = Int64()
    accesses_limit = Int64()
    watched_count = Int64()  # number of watched topics, at most 8

    # --- gas schedule of the fork, where it is not in the decoded code ------------------------------------------------
    gas_cold_sload = Int64()
    gas_warm_sload = Int64()
    gas_cold_account = Int64()
    gas_warm_account = Int64()
    gas_exponent_byte = Int64()
    gas_sstore_cold = Int64()  # surcharge of a cold slot
    gas_sstore_noop = Int64()  # value unchanged, or slot written before in this transaction
    gas_sstore_set = Int64()  # zero to non-zero
    gas_sstore_reset = Int64()  # non-zero to something else
    sstore_stipend = Int64()  # SSTORE needs more gas than this
    net_sstore = Flag()  # prices look at the value at the start of the transaction (EIP-1283)
    refund_clear = Int64()  # for making a slot zero
    gas_selfdestruct_cold = Int64()
    refund_selfdestruct = Int64()
    gas_initcode_word = Int64()
    initcode_limit = Int64()
    code_limit = Int64()  # longest runtime code
    reject_ef = Flag()  # runtime code may not begin with 0xef (EIP-3541)
    destroy_new_only = Flag()  # only accounts created in the same transaction are destroyed (EIP-6780)
    keeps_64th = Flag()  # a caller keeps a 64th of its gas (EIP-150)
    removes_empty = Flag()  # the rules of EIP-161
    deposit_must_succeed = Flag()  # a creation that cannot pay for its code fails (EIP-2)
    delegation = Flag()  # code 0xef0100 || address stands for the code at that address (EIP-7702)

    # --- words: the environment of a frame, a transaction, a block ----------------------------------------------------
    address = Word256()
    caller = Word256()
    callvalue = Word256()
    calldatasize_word = Word256()
    returndatasize_word = Word256()
    origin = Word256()
    gasprice = Word256()
    coinbase = Word256()
    timestamp = Word256()
    number = Word256()
    prevrandao = Word256()
    gaslimit = Word256()
    chainid = Word256()
    basefee = Word256()
    blobbasefee = Word256()
    tx_sender = Word256()
    tx_value = Word256()
    forked_number = Word256()  # number of the forked block
    missing = Word256()
    exit_hash = Word256()  # UNKNOWN_CODE: keccak-256 of the code
    key = Word256()  # scratch: a key or an address handed to a function by its address
    timestamp_cell = Inline(Cell, at=timestamp)
    number_cell = Inline(Cell, at=number)
    blobhashes = To(Words)  # of the transaction
    blobhash_count = Int64()
    blobhashes_cell = Inline(Cell, at=blobhashes)
    watched_topics = Inline(Words, 8)
    scratch = Inline(Bytes, 512)
    decoding = Inline(Decoding)
    read_cells = Inline(Int64s, MAX_CELLS)  # addresses of words; a balance's has bit 0 set

    # --- watched events of the transaction, see feedback/failures.py --------------------------------------------------
    event_keys = Inline(Int64s, MAX_EVENTS)  # of place and message,
    event_families = Inline(Int64s, MAX_EVENTS)  # of place and message without its numbers
    event_cells = Inline(Int64s, MAX_EVENTS)  # of the blocks that wrote them
    event_logs = Inline(Int64s, MAX_EVENTS)  # addresses of the log records, which may be overwritten when undone

    # --- cheatcodes: written through the journal, so that going back in execution goes back here too ------------------
    host_cell = Inline(Cell)  # one journal cell:
    host_state = Int64(at=host_cell)  # number of the state that the host keeps,
    watching = Flag(at=host_cell, step=8)  # exit at every entry and end of a frame, as with tracing,
    prank_count = Int64(at=host_cell, step=16)  # prank records that may be in use,
    recording = Int64(at=host_cell, step=24)  # 1: note slots read and written
    pranks = Inline(Records[Prank], MAX_PRANKS)
    gas_cell = Inline(Cell)  # one journal cell:
    shown_gas = Int64(at=gas_cell)  # what GAS pushes while gas is not metered; 0 while it is

    # --- hashes of other than two words, the last in a ring, see memory/keccak.py -------------------------------------
    digest_count = Int64()
    digests = Inline(Records[KeptHash], KEPT_DIGESTS)
