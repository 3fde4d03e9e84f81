"""Observing calls: the code under test is executed in the JavaScript sandbox, with little time and memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import trio

from tools.analysis.test_generator.calls import GeneratedCall
from tools.errors import ErrorCode, ToolError
from tools.javascript_sandbox import messages
from tools.javascript_sandbox.messages import Observed, SandboxJob
from tools.javascript_sandbox.process import Answers, EngineFailed

CALL_MILLISECONDS = 400
SECONDS_TO_RESTART = 1.0
TOO_DEEP = "Maximum call stack size exceeded"
UNDECLARED = " is not defined"
_LATE = Observed("late")
_LARGE = Observed("large")

# Names that code finds in Node or Jest, and not everywhere: what uses them depends on where it runs.
_NODE = """
    AbortController AbortSignal atob Blob BroadcastChannel btoa Buffer ByteLengthQueuingStrategy clearImmediate
    clearInterval clearTimeout CloseEvent CompressionStream CountQueuingStrategy Crypto crypto CryptoKey
    CustomEvent DecompressionStream DOMException Event EventSource EventTarget fetch File FormData global Headers
    localStorage MessageChannel MessageEvent MessagePort Navigator navigator Performance performance
    PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver PerformanceObserverEntryList
    PerformanceResourceTiming process queueMicrotask ReadableByteStreamController ReadableStream
    ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader
    Request Response sessionStorage setImmediate setInterval setTimeout Storage structuredClone SubtleCrypto
    TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController
    URL URLPattern URLSearchParams WebAssembly WebSocket WritableStream WritableStreamDefaultController
    WritableStreamDefaultWriter
"""
"""What Node 20 to 24 add to a plain engine, with its options too; and WebAssembly, which the sandbox lacks."""
_JEST = """
    describe it test expect jest fit xit xtest xdescribe fdescribe beforeEach beforeAll afterEach afterAll require
    __filename __dirname
"""
ABSENT = (*_NODE.split(), *_JEST.split())
RECENT = ("AsyncDisposableStack", "DisposableStack", "Float16Array", "Iterator", "SuppressedError", "Temporal")
"""What the engine has and Node 20 has not."""


class Sandbox(Protocol):
    """Executor of jobs: `JavaScriptSandbox`, or a double."""

    async def run(self, job: SandboxJob, *, zone: str, seconds: float) -> Answers: ...


@dataclass(frozen=True, slots=True)
class ObservedOutcome:
    """Outcome of one call, as in `Observed`; of a call that used up its process, `kind` is large."""

    kind: str
    source: str | None = None
    type: str = ""
    name: str = ""
    message: str = ""
    awaited: bool = False
    iterates: str = ""
    uses: str = ""
    hits: str = ""

    def agrees_with(self, other: ObservedOutcome) -> bool:
        """True if two executions of a call did the same, so that a test may expect it."""
        return replace(self, hits="") == replace(other, hits="")

    @property
    def is_repeatable(self) -> bool:
        """True if the call ended, by itself and not for something that the sandbox lacks, and touched nothing that
        changes."""
        lacks = self.message == TOO_DEEP or self.name == "EvalError" or self.message.endswith(UNDECLARED)
        return self.kind in ("value", "throw") and not self.uses and not lacks


@dataclass(frozen=True, slots=True)
class SubjectExecution:
    """`function` is the source of a function from an array with `places` elements to the functions under test; `zone`
    the time zone in which their calls are executed, for at most `seconds` in all."""

    function: str
    places: int
    zone: str
    seconds: float

    def job(self, calls: Sequence[GeneratedCall], late: Counter[str]) -> SandboxJob:
        given = [messages.SandboxCall(call.name, call.key, call.local, call.invocation) for call in calls]
        return SandboxJob(self.function, self.places, given, CALL_MILLISECONDS, late, ABSENT, RECENT)


async def observe(
    sandbox: Sandbox, execution: SubjectExecution, calls: Sequence[GeneratedCall]
) -> list[ObservedOutcome]:
    """Execute the calls, each on code loaded for it alone. A call that takes its process along does not cost the others
    more than the time of a restart; calls for which no time is left are late.

    Raises `ToolError` when the code cannot be loaded, and with INTERNAL_ERROR when there is no engine.
    """
    deadline = trio.current_time() + execution.seconds
    try:
        answers = await sandbox.run(execution.job(calls, Counter()), zone=execution.zone, seconds=execution.seconds)
    except EngineFailed as error:
        message = f"tests are made by executing the code, and the JavaScript engine does not work: {error}"
        raise ToolError(ErrorCode.INTERNAL_ERROR, message) from error
    _refuse_what_cannot_be_loaded(answers)
    observed = _with_the_call_that_ended_it(answers, len(calls))
    while len(observed) < len(calls) and deadline - trio.current_time() > SECONDS_TO_RESTART:
        left = calls[len(observed) :]
        late = Counter(call.name for call, one in zip(calls, observed, strict=False) if one.kind == "late")
        try:
            seconds = deadline - trio.current_time()
            answers = await sandbox.run(execution.job(left, late), zone=execution.zone, seconds=seconds)
        except EngineFailed:  # it did work: what is missing is time
            break
        observed += _with_the_call_that_ended_it(answers, len(left))
    observed += [_LATE] * (len(calls) - len(observed))
    return [_outcome(one) for one in observed]


def _refuse_what_cannot_be_loaded(answers: Answers) -> None:
    loaded = answers.loaded
    if loaded is None:
        reason = "the code takes too much time or memory when it is loaded"
        raise ToolError(ErrorCode.INVALID_INPUT, reason)
    if loaded.error is not None:
        used = f" (it uses {loaded.uses})" if loaded.uses else ""
        raise ToolError(ErrorCode.INVALID_INPUT, f"the code fails when it is loaded: {loaded.error}{used}")


def _with_the_call_that_ended_it(answers: Answers, asked: int) -> list[Observed]:
    """Observations, at most as many as requested, and the call during which the process ended, if any."""
    observed = answers.observed[:asked]
    is_stopped = answers.gave_up and observed
    return observed if len(observed) == asked or is_stopped else [*observed, _LATE if answers.timed_out else _LARGE]


def _outcome(observed: Observed) -> ObservedOutcome:
    return ObservedOutcome(
        kind=observed.kind,
        source=observed.source,
        type=observed.type,
        name=observed.name,
        message=observed.message,
        awaited=observed.awaited,
        iterates=observed.iterates,
        uses=observed.uses,
        hits=observed.hits,
    )
