"""Frames between a worker process and the actor that supervises it.

Lockstep: the worker acts only on commands. `Fuzz`, `Replay` and `Shrink` are work; during work the worker sends
telemetry (`Heartbeat`, `Coverage`, `Interesting`, ...) and closes it with exactly one `Done`. Everything else takes
effect at once and, `Inject` and `Execute` excepted, is not answered. Work may be followed by further commands before
its `Done`; they are read between native batches (10-100 ms). `Stop`, `Interrupt` and what steers (`Steering`) act
before the work in hand ends, the others after it. So one worker and one seed give one order of events, whatever the
clock does, as long as nobody steers while it works.
"""

from __future__ import annotations

from simulator.worker.commands import (
    Adopt,
    CloseTest,
    Execute,
    Focus,
    Fuzz,
    Inject,
    Interrupt,
    Replay,
    SequenceTemplate,
    SetTemplates,
    Setup,
    Shrink,
    Steering,
    Stop,
    Teach,
    TemplateCall,
    ToWorker,
)
from simulator.worker.frame import DoneReason, Features, Frame, TestKind
from simulator.worker.reports import (
    CallOutcome,
    Coverage,
    Done,
    Executed,
    Failed,
    Falsified,
    FromWorker,
    FunctionCounts,
    FunctionInfo,
    Heartbeat,
    Hello,
    Injected,
    Interesting,
    LogEntry,
    Measured,
    NewCode,
    Obeyed,
    Ready,
    Shrunk,
    TestInfo,
    Warn,
    Words,
)

PROTOCOL_VERSION = 3

__all__ = [
    "PROTOCOL_VERSION",
    "Adopt",
    "CallOutcome",
    "CloseTest",
    "Coverage",
    "Done",
    "DoneReason",
    "Execute",
    "Executed",
    "Failed",
    "Falsified",
    "Features",
    "Focus",
    "Frame",
    "FromWorker",
    "FunctionCounts",
    "FunctionInfo",
    "Fuzz",
    "Heartbeat",
    "Hello",
    "Inject",
    "Injected",
    "Interesting",
    "Interrupt",
    "LogEntry",
    "Measured",
    "NewCode",
    "Obeyed",
    "Ready",
    "Replay",
    "SequenceTemplate",
    "SetTemplates",
    "Setup",
    "Shrink",
    "Shrunk",
    "Steering",
    "Stop",
    "Teach",
    "TemplateCall",
    "TestInfo",
    "TestKind",
    "ToWorker",
    "Warn",
    "Words",
]
