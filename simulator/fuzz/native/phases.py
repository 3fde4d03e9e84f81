"""Phases of the fuzz loop, and what the loop returns to Python."""

from __future__ import annotations

FUZZ_COMMAND = 32

# --- phases of the loop -----------------------------------------------------------------------------------------------
# Each BEGIN phase is followed by its RUN phase.
PHASE_NEXT_SEQUENCE = 0
PHASE_NEXT_CALL = 1
PHASE_BEGIN_CALL = 2
PHASE_RUN_CALL = 3
PHASE_NEXT_PROPERTY = 4
PHASE_BEGIN_PROPERTY = 5
PHASE_RUN_PROPERTY = 6
PHASE_END_SEQUENCE = 7

# --- what the loop returns to Python ----------------------------------------------------------------------------------
RETURN_LIMIT = 100  # `call_limit` reached
RETURN_EXIT = 101  # the EVM wants a service from the host; resume afterwards
RETURN_FOUND = 102  # a built sequence brought coverage or failures; it stands in `sequence`
RETURN_SEQUENCE = 103  # the given sequence has ended
RETURN_PAUSE = 104  # much gas was used since the last return; call again to continue

PAUSE_GAS = 100_000_000  # about a tenth of a second

# --- log_comparisons --------------------------------------------------------------------------------------------------
LOG_NONE = 0
LOG_SOME = 1  # in one sequence of eight, harvested after each call
LOG_AND_KEEP = 2  # in each; the log of the last calls stays for Python, see `log_from`
LOG_ALL = 3  # in each, harvested after each call
