"""seccomp: from here on the kernel refuses every system call that is not on the list.

The filter is assembled here: libseccomp is not on every machine, its binding for Python has seen no release since 2021,
and one list of numbers with a few conditions needs no compiler.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from tools.javascript_sandbox.kernel import is_linux, system_call
from tools.javascript_sandbox.system_calls import ALLOWED, PROCESSORS, Processor

_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06
_NUMBER_OFFSET = 0
_PROCESSOR_OFFSET = 4
_ARGUMENT_OFFSET = 16

_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000
_KILL_PROCESS = 0x80000000

_FILTER_MODE = 1
_EVERY_THREAD = 1

_CLONE_THREAD = 0x00010000
_PROT_EXEC = 4
_PR_SET_NAME = 15
_PR_SET_VMA = 0x53564D41

_Instruction = tuple[int, int, int, int]
"""Code, jump where true, jump where false, operand."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def processor() -> Processor | None:
    """The processor that the filter is made for, None where it knows none."""
    return PROCESSORS.get(platform.machine()) if is_linux() else None


def refuse_other_system_calls(known: Processor) -> None:
    """Bind every thread of this process, for good. A refused call fails with EPERM. Needs `PR_SET_NO_NEW_PRIVS`.
    Raises `OSError` where the kernel has no filters."""
    instructions = _assembled(known)
    packed = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    program = _Program(len(instructions), packed)
    pointer = ctypes.cast(ctypes.byref(program), ctypes.c_void_p)
    system_call(known.seccomp, ctypes.c_long(_FILTER_MODE), ctypes.c_long(_EVERY_THREAD), pointer)


def _assembled(known: Processor) -> list[_Instruction]:
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _PROCESSOR_OFFSET),
        (_JUMP_EQUAL, 1, 0, known.audit),
        _ends(_KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
    ]
    for name in ALLOWED:
        program += _when_called(known, name, [_ends(_ALLOW)])
    program += _when_called(known, "clone", _where_bits(0, _CLONE_THREAD, then=_ALLOW, otherwise=_refusal()))
    # Its flags are in memory, which a filter cannot see; the C library falls back to clone.
    program += _when_called(known, "clone3", [_ends(_refusal(errno.ENOSYS))])
    for name in ("mmap", "mprotect", "pkey_mprotect"):
        program += _when_called(known, name, _where_bits(2, _PROT_EXEC, then=_refusal(), otherwise=_ALLOW))
    program += _when_called(known, "prctl", _where_first_is(_PR_SET_NAME, _PR_SET_VMA))
    return [*program, _ends(_refusal())]


def _when_called(known: Processor, name: str, body: list[_Instruction]) -> list[_Instruction]:
    """`body`, which ends in a verdict, for the call of this name."""
    number = known.number(name)
    return [] if number is None else [(_JUMP_EQUAL, 0, len(body), number), *body]


def _where_bits(argument: int, bits: int, *, then: int, otherwise: int) -> list[_Instruction]:
    load = (_LOAD, 0, 0, _ARGUMENT_OFFSET + 8 * argument)
    return [load, (_JUMP_ANY_BIT, 0, 1, bits), _ends(then), _ends(otherwise)]


def _where_first_is(*values: int) -> list[_Instruction]:
    tests = [instruction for value in values for instruction in ((_JUMP_EQUAL, 0, 1, value), _ends(_ALLOW))]
    return [(_LOAD, 0, 0, _ARGUMENT_OFFSET), *tests, _ends(_refusal())]


def _refusal(number: int = errno.EPERM) -> int:
    return _REFUSE | number


def _ends(verdict: int) -> _Instruction:
    return (_RETURN, 0, 0, verdict)
