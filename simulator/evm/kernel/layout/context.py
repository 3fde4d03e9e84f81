"""The context: one block of memory that holds the whole state of a machine, or the addresses of it."""

from __future__ import annotations

from simulator.evm.kernel.layout import decoding, prank
from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

# --- running frame: copied to locals by `run`, and back before anything leaves the loop ------------------------------
IP = _int64()  # address of the next instruction; between blocks, of a block header
SP = _int64()  # address of the first free stack slot
GAS = _int64()
MEMORY = _int64()  # address of the frame's memory
MEMORY_SIZE = _int64()  # bytes, a multiple of 32
STACK = _int64()  # address of the frame's lowest stack slot
CALLDATA = _int64()
CALLDATA_SIZE = _int64()
CELLS = _int64()  # coverage cells of the running code
CELL = _int64()  # cell of the block that runs
DEPTH_BIT = _int64()  # bit of the call depth in a coverage cell

# --- running frame: read and written in place ------------------------------------------------------------------------
CODE = _int64()  # code record
ACCOUNT = _int64()  # account record whose storage and balance are used
STORAGE_OWNER = _int64()  # that account's storage id
STATIC = _int64()  # 1 in a static context
DEPTH = _int64()  # 0 in the transaction's own frame
FRAME = _int64()  # frame record of the running frame

# --- transaction: filled by the caller of begin_transaction ----------------------------------------------------------
TX_KIND = _int64()  # calls.CALL or calls.CREATE
TX_TO = _int64()  # account record of the callee, or of the account to create
TX_DATA = _int64()  # address of calldata or creation code
TX_DATA_SIZE = _int64()
TX_GAS = _int64()  # gas for execution, intrinsic gas already taken
TX_MINT = _int64()  # 1: value appears at the callee and the sender pays nothing (fuzz accounting)

# --- transaction: results ---------------------------------------------------------------------------------------------
STATUS = _int64()  # final status, see status.py
RETURNDATA = _int64()  # address of the return data buffer
RETURNDATA_SIZE = _int64()
RETURNDATA_LIMIT = _int64()  # capacity of that buffer
REFUND = _int64()
EPOCH = _int64()  # number of the transaction; what carries an older epoch is cold, transient or undone
WATCHED_EVENT = _int64()  # 1 once a log had a watched topic, also when its frame reverted later
REJECTED = _int64()  # not 0 once a cheatcode said why the transaction proves nothing, see simulator/cheatcodes
VOLATILE_READ = _int64()  # reads.BLOCK once the block environment was read, reads.ANYTHING for what is not tracked
DIRTY = _int64()  # readers of what was written, with reads.ANYTHING; grows until the fuzz loop empties it
READER = _int64()  # bit of the reader whose reads are marked, 0 for none, see reads.py
READ_COUNT = _int64()  # cells that the reader read, of which the first MOST_CELLS stand in READ_CELLS
NEW_COVERAGE = _int64()  # grows when a cell gains a depth, an outcome, or a branch side its first hit

# --- resuming ---------------------------------------------------------------------------------------------------------
RESUME = _int64()  # how `run` starts, see status.py
EXIT_REASON = _int64()
EXIT_ADDRESS = _int64()  # what the exit is about: bytes, or an account record
EXIT_SIZE = _int64()
EXIT_DETAIL = _int64()  # arena, precompile number or code kind
FINISH_STATUS = _int64()  # a frame ended by the host: how, ...
FINISH_GAS = _int64()  # gas left,
FINISH_OUTPUT = _int64()  # output address
FINISH_OUTPUT_SIZE = _int64()  # and size
TRACING = _int64()  # 1: exit at every entry and end of a frame
COMPARISONS_ON = _int64()
COMMAND_A = _int64()  # arguments and results of commands that take some
COMMAND_B = _int64()
COMMAND_C = _int64()
COMMAND_D = _int64()

# --- arenas: address of the first byte, and the limit ---------------------------------------------------------------
STACK_START = _int64()
MEMORY_START = _int64()
MEMORY_END = _int64()
FRAMES = _int64()  # frame record of the transaction's own frame
JOURNAL = _int64()
JOURNAL_TOP = _int64()  # byte offset of the next entry from JOURNAL: a mark is a value of this field
JOURNAL_LIMIT = _int64()
LOGS = _int64()
LOGS_TOP = _int64()  # address after the last log record
LOGS_END = _int64()
SLOTS = _int64()  # storage map: open addressing over storage entries
SLOTS_MASK = _int64()  # capacity - 1
SLOTS_USED = _int64()
ACCOUNT_INDEX = _int64()  # open addressing over addresses of account records
ACCOUNT_INDEX_MASK = _int64()
ACCOUNTS = _int64()  # account records, one after the other
ACCOUNTS_USED = _int64()
ACCOUNTS_LIMIT = _int64()
CODE_INDEX = _int64()  # open addressing over addresses of code records, by code hash
CODE_INDEX_MASK = _int64()
CODES_USED = _int64()
DESTROYED = _int64()  # account records destroyed in this transaction
DESTROYED_COUNT = _int64()
DESTROYED_LIMIT = _int64()
HASH_CACHE = _int64()  # direct-mapped cache of 64-byte keccak inputs
COMPARISONS = _int64()  # ring of comparison records
COMPARISONS_MASK = _int64()
COMPARISONS_COUNT = _int64()  # records appended so far
NEXT_STORAGE_ID = _int64()
FORKED = _int64()  # 1: what has no record is fetched from a chain by the host, see simulator/evm/forked_state.py
MISSING_KIND = _int64()  # what was missing last: 0 nothing, 1 the account MISSING, 2 the slot MISSING of MISSING_OWNER
MISSING_OWNER = _int64()
EMPTY_CODE = _int64()  # code record of the empty code
FUSION_TABLE = _int64()  # trie of superinstructions, 0 for none
FUSION_WIDTH = _int64()  # entries of a row
FUSION_LENGTHS = _int64()  # int32 for each handler: instructions that it covers
DECODE_TABLE = _int64()  # 256 decode entries of the fork
COINBASE_ACCOUNT = _int64()  # account record warmed with every transaction, 0 before Shanghai
HELPERS = _int64()  # kernel functions that compiled code calls, see layout/helpers.py
ACCESSES = _int64()  # access records, while RECORDING
ACCESSES_COUNT = _int64()
ACCESSES_LIMIT = _int64()
WATCHED_COUNT = _int64()  # number of watched topics, at most 8

# --- gas schedule of the fork, where it is not in the decoded code ---------------------------------------------------
GAS_COLD_SLOAD = _int64()
GAS_WARM_SLOAD = _int64()
GAS_COLD_ACCOUNT = _int64()
GAS_WARM_ACCOUNT = _int64()
GAS_EXPONENT_BYTE = _int64()
GAS_SSTORE_COLD = _int64()  # surcharge of a cold slot
GAS_SSTORE_NOOP = _int64()  # value unchanged, or slot written before in this transaction
GAS_SSTORE_SET = _int64()  # zero to non-zero
GAS_SSTORE_RESET = _int64()  # non-zero to something else
SSTORE_STIPEND = _int64()  # SSTORE needs more gas than this
NET_SSTORE = _int64()  # 1: prices look at the value at the start of the transaction (EIP-1283)
REFUND_CLEAR = _int64()  # for making a slot zero
GAS_SELFDESTRUCT_COLD = _int64()
REFUND_SELFDESTRUCT = _int64()
GAS_INITCODE_WORD = _int64()
INITCODE_LIMIT = _int64()
CODE_LIMIT = _int64()  # longest runtime code
REJECT_EF = _int64()  # 1: runtime code may not begin with 0xef (EIP-3541)
DESTROY_NEW_ONLY = _int64()  # 1: only accounts created in the same transaction are destroyed (EIP-6780)
KEEPS_64TH = _int64()  # 1: a caller keeps a 64th of its gas (EIP-150)
REMOVES_EMPTY = _int64()  # 1: the rules of EIP-161
DEPOSIT_MUST_SUCCEED = _int64()  # 1: a creation that cannot pay for its code fails (EIP-2)
DELEGATION = _int64()  # 1: code 0xef0100 || address stands for the code at that address (EIP-7702)

# --- words: the environment of a frame, a transaction, a block -------------------------------------------------------
ADDRESS = _word()
CALLER = _word()
CALLVALUE = _word()
CALLDATASIZE_WORD = _word()
RETURNDATASIZE_WORD = _word()
ORIGIN = _word()
GASPRICE = _word()
COINBASE = _word()
TIMESTAMP = _word()
NUMBER = _word()
PREVRANDAO = _word()
GASLIMIT = _word()
CHAINID = _word()
BASEFEE = _word()
BLOBBASEFEE = _word()
TX_SENDER = _word()
TX_VALUE = _word()
FORKED_NUMBER = _word()  # number of the forked block
MISSING = _word()
EXIT_HASH = _word()  # UNKNOWN_CODE: keccak-256 of the code
KEY = _word()  # scratch: a key or an address handed to a function by its address
BLOBHASHES = _int64()  # addresses of the transaction's blob hashes, one word each
BLOBHASH_COUNT = _int64()
WATCHED_TOPICS = _fields.block(8 * 32)
SCRATCH = _fields.block(512)
DECODING = _fields.block(decoding.SIZE)
MOST_CELLS = 4
READ_CELLS = _fields.block(8 * MOST_CELLS)  # addresses of words; a balance's has bit 0 set

# --- cheatcodes: written through the journal, so that going back in execution goes back here too ---------------------
HOST_CELL = _word()  # one journal cell:
HOST_STATE = HOST_CELL  # number of the state that the host keeps,
WATCHING = HOST_CELL + 8  # 1: exit at every entry and end of a frame, as with TRACING,
PRANK_COUNT = HOST_CELL + 16  # prank records that may be in use,
RECORDING = HOST_CELL + 24  # 1: note slots read and written
MOST_PRANKS = 8
PRANKS = _fields.block(MOST_PRANKS * prank.SIZE)
SIZE = _fields.size()
