"""The fuzz context: all state of one fuzz loop, or the addresses of it."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

MACHINE = _int64()  # address of the EVM context
RANDOM = _int64()  # state of the random generator, never 0
PHASE = _int64()  # see Phase
CALLS = _int64()  # transactions of built sequences
CALL_LIMIT = _int64()  # stop before the next sequence once CALLS has reached it
SEQUENCES = _int64()
SEQUENCE_LIMIT = _int64()  # stop before the next sequence once SEQUENCES has reached it
REVERTED = _int64()
GAS = _int64()
ONE_SEQUENCE = _int64()  # 1: execute the given sequence and stop; 0: build sequences
SEQUENCE = _int64()  # table of transaction record addresses: the sequence in hand
SEQUENCE_COUNT = _int64()
SEQUENCE_INDEX = _int64()
SEQUENCE_LENGTH = _int64()  # calls of a built sequence
SCRATCH = _int64()  # arena for transaction records of the sequence in hand
SCRATCH_NEXT = _int64()
SCRATCH_END = _int64()
FUNCTIONS = _int64()  # table of function records
FUNCTION_COUNT = _int64()
FUNCTION_CHOICE = _int64()  # CHOICES indexes into FUNCTIONS (int32), drawn uniformly
SENDERS = _int64()  # words
SENDER_COUNT = _int64()
NUMBERS = _int64()  # words
NUMBER_COUNT = _int64()
FIXED_BYTES = _int64()  # words, left-aligned
FIXED_BYTES_COUNT = _int64()
ADDRESSES = _int64()  # words
ADDRESS_COUNT = _int64()
VOLATILE = _int64()  # table of VOLATILE_SIZE words seen during execution, by their hash; 0 is a free place
STRANGERS = _int64()  # table of STRANGER_COUNT addresses that the campaign does not know; 0 is a free place
CORPUS = _int64()  # table of corpus records
CORPUS_COUNT = _int64()
ORACLES = _int64()  # table of oracle records
ORACLE_COUNT = _int64()
ORACLE_INDEX = _int64()
BASE_MARK = _int64()  # journal position of the deployed state
PROPERTY_MARK = _int64()
COVERAGE_BEFORE = _int64()
LAST_NEW = _int64()  # index of the last call of the sequence that brought coverage, -1 when none did
FAILURES = _int64()  # failures in the sequence in hand
MAX_SECONDS = _int64()
MAX_BLOCKS = _int64()
DICTIONARY_CHANCE = _int64()  # of 1024
WEIGHT_APPEND = _int64()  # cumulative weights of the sequence builders, of WEIGHT_TOTAL
WEIGHT_PREPEND = _int64()
WEIGHT_SPLICE = _int64()
WEIGHT_INTERLEAVE = _int64()
WEIGHT_EDIT = _int64()
WEIGHT_TOTAL = _int64()
CHECK_ORACLES = _int64()  # 0: execute only
LOG_COMPARISONS = _int64()  # see phases.py
TRANSACTION_GAS = _int64()
PROPERTY_GAS = _int64()
PROPERTY_CALLDATA = _int64()  # 4-byte buffer that a property's selector is written to
DIRTY_BEFORE = _int64()  # DIRTY when the call in hand began
STOP_AT_FAILURE = _int64()  # 1: leave the sequence at the first failure (shrinking)
MAX_VALUE = _word()  # wei
PROPERTY_SENDER = _word()
BASE_TIMESTAMP = _word()
BASE_NUMBER = _word()
WORK_WORD = _word()  # scratch of the generators
PROPERTY_COUNT = _int64()  # oracles 0..PROPERTY_COUNT-1 are property calls
FIRST_GLOBAL = _int64()  # oracles from here on look at every call
CHANGED = _int64()  # DIRTY when the properties began to be checked
ACCOUNTS_STAND = _int64()  # 1 while nonces, codes and storages are those of the deployed state, and nothing is faked
ALWAYS_CHECK = _int64()  # 1: check every property after every call, as if all it reads had changed
COMPARING = _int64()  # as LOG_COMPARISONS, decided for the sequence in hand
GAS_SINCE_PAUSE = _int64()  # of calls and properties
FOCUS_CHANCE = _int64()  # of 1024: calls drawn from FOCUS_CHOICE; 0 when no function is prioritized
FOCUS_CHOICE = _int64()  # CHOICES indexes of prioritized functions (int32)
TEMPLATE_CHANCE = _int64()  # of 1024: sequences built around a template
SEQUENCE_TEMPLATES = _int64()  # table of TEMPLATE_CHOICES addresses of corpus records
SIZE = _fields.size()

CHOICES = 2048
TEMPLATE_CHOICES = 256
VOLATILE_SIZE = 1024
STRANGER_COUNT = 64
