"""Statuses: how a frame ended, and what `run` returns. Negative returns of gas-computing functions are -status."""

from __future__ import annotations

# --- inside the kernel ------------------------------------------------------------------------------------------------
NEXT_BLOCK = 0
FRAME_SWITCHED = -1
HANDED_OVER = -2  # compiled code stopped inside a block; the interpreter continues at the instruction

# --- final ------------------------------------------------------------------------------------------------------------
STOP = 1
RETURN = 2
REVERT = 3
OUT_OF_GAS = 4
INVALID_OPCODE = 5  # the designated 0xfe
UNKNOWN_OPCODE = 6
BAD_JUMP = 7
STACK_UNDERFLOW = 8
STACK_OVERFLOW = 9
STATIC_VIOLATION = 10
RETURNDATA_OUT_OF_BOUNDS = 11
CREATE_COLLISION = 12
CODE_TOO_LARGE = 13
INVALID_CODE = 14  # runtime code that begins with 0xef
INITCODE_TOO_LARGE = 15
PRECOMPILE_FAILURE = 16
ARENA_EXHAUSTED = 17  # a limit of this program, not of the EVM

# --- the host must act, then `run` continues --------------------------------------------------------------------------
EXIT = 64

# --- exit_reason ------------------------------------------------------------------------------------------------------
EXIT_PRECOMPILE = 1
EXIT_CHEATCODE = 2
EXIT_CONSOLE = 3
EXIT_UNKNOWN_CODE = 4
EXIT_ARENA_FULL = 5
EXIT_TRACE_CALL = 6
EXIT_TRACE_RETURN = 7
EXIT_PAUSE = 8

# --- exit_detail of EXIT_ARENA_FULL -----------------------------------------------------------------------------------
ARENA_MEMORY = 1
ARENA_RETURNDATA = 2
ARENA_JOURNAL = 3
ARENA_LOGS = 4
ARENA_SLOTS = 5
ARENA_ACCOUNTS = 6
ARENA_CODES = 7
ARENA_DESTROYED = 8

# --- resume -----------------------------------------------------------------------------------------------------------
RESUME_BLOCK = 0  # `ip` is a block header
RESUME_INSTRUCTION = 1  # `ip` is an instruction inside a block whose header was paid
RESUME_LEAVE = 2  # the frame has ended as FINISH_* say
RESUME_ENDED = 3  # the transaction has ended; `run` returns `status`
RESUME_HOST = 4  # the frame's code is the host's: exit at once
RESUME_TRACE = 5  # the transaction's own frame begins, and the tracer wants to know
RESUME_BEGIN = 6  # begin_transaction asked, and is to be called again

# --- Context.rejected: why a transaction proves nothing -------------------------------------------------------------
REJECTED_BY_ASSUME = 1
REJECTED_AS_UNSUPPORTED = 2
REJECTED_BY_SKIP = 3
