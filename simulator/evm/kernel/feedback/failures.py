"""Place at which a transaction failed: what tells one failing place from another, kept while frames end and logs are
written.

A failed frame is told by the side of the branch that was taken last in it, because compilers share the code behind
the branch: all asserts of a contract revert in one place. A caller that passes the failure on leaves it what it is.
"""

from __future__ import annotations

from simulator.evm.kernel.layout.context import MAX_EVENTS, Context
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.layout.log import Log
from simulator.evm.kernel.memory_access import load_u8, load_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell, pointer
from simulator.evm.kernel.status import INVALID_OPCODE, REVERT
from simulator.evm.kernel.words import hash_word, saturate, word

MAX_TEXT = 256  # bytes of a message that are looked at
MAX_OFFSET = 256  # of a string in the data of an event
MAX_SHORT = 4  # digits of a number that may be a name
MAX_LOOK = 32 * 16  # bytes of the stack in which a return address is looked for
PANIC_SIZE = 36
JUMP_OPCODE = 0x56
TEXT_MASK = (1 << 54) - 1
TEXT_FACTOR = 131
ZERO, NINE, UPPER_A, UPPER_F, LOWER_A, LOWER_F, LOWER_X, SPACE = 48, 57, 65, 70, 97, 102, 120, 32
LESS, GREATER, EXCLAMATION = 60, 62, 33  # with the equals sign between the first two


@kernel
def is_digit(character: int) -> bool:
    return ZERO <= character <= NINE


@kernel
def is_hexadecimal(character: int) -> bool:
    return is_digit(character) or UPPER_A <= character <= UPPER_F or LOWER_A <= character <= LOWER_F


@kernel
def compares(character: int) -> bool:
    """Return whether a character belongs to a comparison, as in `3 != 4`."""
    return LESS <= character <= GREATER or character == EXCLAMATION


@kernel
def end_of_number(text: int, start: int, size: int) -> int:
    """Index behind the number, decimal or 0x and hexadecimal, that begins at `start`."""
    index = start + 1
    if index < size and load_u8(text + index) == LOWER_X and load_u8(text + start) == ZERO:
        index += 1
        while index < size and is_hexadecimal(load_u8(text + index)):
            index += 1
        return index
    while index < size and is_digit(load_u8(text + index)):
        index += 1
    return index


@kernel
def is_value(text: int, start: int, end: int, size: int, before: int) -> bool:
    """Return whether a number of a message is a value of the moment, and no part of a name: it is long, or compared."""
    if end - start > MAX_SHORT or compares(before):
        return True
    while end < size and load_u8(text + end) == SPACE:
        end += 1
    return end < size and compares(load_u8(text + end))


@kernel
def text_key(text: int, length: int, every: bool) -> int:
    """A hash of a message without the values in it; with `every`, without any of its numbers."""
    size = min(length, MAX_TEXT)
    key = 1
    before = 0
    index = 0
    while index < size:
        character = load_u8(text + index)
        if is_digit(character):
            end = end_of_number(text, index, size)
            if every or is_value(text, index, end, size, before):
                character = 0
                index = end - 1
        if character != SPACE:
            before = character
        key = (key * TEXT_FACTOR + character) & TEXT_MASK
        index += 1
    return key


@kernel
def string_at(data: int, size: int) -> int:
    """Offset of the length word of the string that ABI-encoded data begins with, -1 when it does not."""
    if size < 64:
        return -1
    offset = saturate(load_word_be(data))
    if offset & 31 != 0 or offset == 0 or offset > MAX_OFFSET or offset + 32 > size:
        return -1
    if saturate(load_word_be(data + offset)) > size - offset - 32:
        return -1
    return offset


@kernel
def message_key(data: int, size: int, every: bool) -> int:
    """The key of the string that ABI-encoded data begins with, 0 when it does not."""
    offset = string_at(data, size)
    if offset < 0:
        return 0
    return text_key(data + offset + 32, saturate(load_word_be(data + offset)), every)


@kernel
def log_message_key(record: Log, every: bool) -> int:
    """The key of the message of an event, 0 when it has none."""
    return message_key(pointer(record.topics + record.topic_count), record.data_size, every)


@kernel
def note_event(machine: Context, record: Log) -> None:
    """A watched event: remember which one, once for each place and message."""
    cell = pointer(machine.cell)
    key = hash_word(word(cell), log_message_key(record, False))
    count = machine.event_count
    for index in range(count):
        if machine.event_keys[index] == key:
            return
    if count == MAX_EVENTS:
        return
    machine.event_keys[count] = key
    machine.event_families[count] = hash_word(word(cell), log_message_key(record, True))
    machine.event_cells[count] = cell
    machine.event_logs[count] = pointer(record)
    machine.event_count = count + 1


@kernel
def passes_on(machine: Context, output: int, size: int) -> bool:
    """Return whether the frame that fails has copied the output of its last callee, which failed, and makes it its
    own."""
    return size != 0 and output == machine.returned_at and size == machine.returndata_size


@kernel
def return_address(machine: Context, status: int) -> int:
    """Return the place from which the running internal function was called: the topmost word of the stack that is a
    place behind a JUMP, 0 for none. The operands of REVERT are on top."""
    running = machine.code
    place = pointer(machine.sp) - (64 if status == REVERT else 0)
    lowest = max(pointer(machine.stack), place - MAX_LOOK)
    while place > lowest:
        place -= 32
        pc = saturate(Cell(place).word)
        if pc == 0 or pc >= running.bytes_size:
            continue
        if running.jumps[pc] != 0 and load_u8(running.bytes + pc - 1) == JUMP_OPCODE:
            return pc
    return 0


@kernel
def note_failure(machine: Context, record: Frame, status: int, output: int, size: int) -> None:
    """The running frame fails with this output; its logs are there yet. Compilers may test all asserts in one function:
    then its caller tells them apart."""
    if machine.failed_side and passes_on(machine, output, size):
        return
    machine.failed_side = machine.last_side
    machine.failed_return = 0
    if status == INVALID_OPCODE or (status == REVERT and size == PANIC_SIZE):
        machine.failed_return = return_address(machine, status)
    last = machine.last_log
    is_own = pointer(record.logs_mark) <= pointer(last) and pointer(last) < pointer(machine.logs_top)
    machine.failed_log = last if is_own else Log(0)
