"""Phases of the fuzz loop, and what the loop returns to Python."""

from __future__ import annotations

# --- phases of the loop ------------------------------------------------------------------------------------
# Each BEGIN phase is followed by its RUN phase.
PHASE_NEXT_SEQUENCE = 0
PHASE_NEXT_CALL = 1
PHASE_BEGIN_CALL = 2
PHASE_RUN_CALL = 3
PHASE_NEXT_PROPERTY = 4
PHASE_BEGIN_PROPERTY = 5
PHASE_RUN_PROPERTY = 6
PHASE_END_SEQUENCE = 7

# --- what the loop returns to Python -----------------------------------------------------------------------
RETURN_LIMIT = 100  # CALL_LIMIT reached
RETURN_EXIT = 101  # the EVM wants a service from the host; resume afterwards
RETURN_FOUND = 102  # a built sequence brought coverage or failures; it stands in SEQUENCE
RETURN_SEQUENCE = 103  # the given sequence has ended
