"""Frames between a worker process and the actor that supervises it.

Lockstep: the worker acts only on commands. `Fuzz`, `Replay` and `Shrink` are work; during work the worker sends
telemetry (`Heartbeat`, `Coverage`, `Interesting`, ...) and closes it with exactly one `Done`. Everything else takes
effect at once and, `Inject` and `Execute` excepted, is not answered. Work may be followed by further commands before
its `Done`; they are read between native batches (10-100 ms). `Stop`, `Interrupt` and what steers (`Steering`) act
before the current work ends, the others after it. So one worker and one seed give one order of events, whatever the
clock does, unless it is steered while it works.

One piece of work may follow another before its `Done`: a `Fuzz` with `ahead`. The worker begins it right after the
other has finished, and after all other commands that are there. It has a `Done` of its own.
"""

from __future__ import annotations

from typing import Literal

import msgspec

PROTOCOL_VERSION = 7

DoneReason = Literal["finished", "falsified", "interrupted", "exhausted"]
"""`exhausted`: all that there is to execute has been executed, and nothing is left to fuzz."""
Features = tuple[tuple[int, bytes], ...]
"""Code id, and little-endian uint32s `16 * cell + bit`: bits 0..7 for call depths, 8..15 for outcomes; bit 0 for the
side of a JUMPI."""


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all frames."""
