"""V8 by itself, through mini-racer: text goes in, text comes out.

mini-racer's own `MiniRacer` turns values of the guest into Python objects, runs an additional event loop, and puts a
`setTimeout` into the realm. None of that is wanted here, so that this module calls the library beneath it.
"""

# ruff: noqa: N818  # the names say what happened, as those of trio do
from __future__ import annotations

import ctypes
import queue
import threading
import time
from typing import Any, NamedTuple

from py_mini_racer import init_mini_racer
from py_mini_racer._dll import mr_callback_func

FLAGS = (
    "--single-threaded",
    "--jitless",  # no machine code is made while code runs, which is where most holes of engines are; no WebAssembly
    "--disallow-code-generation-from-strings",
    "--stack-size=500",
)
HEAP = 64 << 20
MAX_TEXT_LENGTH = 256_000
CANCEL_SECONDS = 0.5
CLOCK_FACTOR = 10
"""How many seconds of the clock pass for one of processor time, before a script on a busy machine is too late."""
MIN_WAIT = 0.1
IDLE_SECONDS = 0.001
"""A script that takes less processor time while it is waited for is asleep, and not just short of a processor."""
_TEXT = 5
_OUT_OF_MEMORY = 202
_TERMINATED = 204
_FAILURES = range(200, 207)


class EngineUnsuitable(Exception):
    """The engine lacks something that the sandbox relies on; the message says what."""


class Stuck(Exception):
    """The engine did not stop when it was asked to: this process can do nothing more for its caller."""


class TooLate(Exception):
    """The evaluation took longer than it may."""


class TooLarge(Exception):
    """The evaluation took more memory than it may, or gave more text than is taken."""


class EngineStopped(Exception):
    """The evaluation threw, could not be parsed, or gave no text. The message is the guest's."""


class _Reply(NamedTuple):
    kind: int
    text: bytes
    length: int


class Engine:
    """The V8 of this process. Raises `EngineUnsuitable` when a flag has no effect."""

    def __init__(self) -> None:
        self._library = init_mini_racer(flags=FLAGS)
        self._replies: queue.SimpleQueue[Any] = queue.SimpleQueue()
        # Made once: it is executable memory, which a confined process cannot have more of.
        self._callback = mr_callback_func(lambda _, raw: self._replies.put(raw))
        self._prove("typeof WebAssembly", b"undefined")
        self._prove("(() => { try { return String(eval('1')); } catch { return 'refused'; } })()", b"refused")

    @property
    def version(self) -> str:
        return str(self._library.mr_v8_version().decode("ascii", "replace"))

    def realm(self) -> Realm:
        return Realm(self._library, self._callback, self._replies)

    def _prove(self, expression: str, wanted: bytes) -> None:
        realm = self.realm()
        found = realm.evaluate(expression, seconds=10)
        realm.close()
        if found != wanted:
            raise EngineUnsuitable(f"{expression} is {found.decode('utf-8', 'replace')!r} in this V8")


class Realm:
    """A fresh V8 isolate: its own heap and globals, and a thread that executes. Not to be used after an exception other
    than `EngineStopped`, but for `close`; not even closed after `Stuck`."""

    def __init__(self, library: ctypes.CDLL, callback: Any, replies: queue.SimpleQueue[Any]) -> None:
        self._library = library
        self._replies = replies
        self._context = library.mr_init_context(callback)
        library.mr_set_hard_memory_limit(self._context, HEAP)

    def evaluate(self, code: str, *, seconds: float) -> bytes:
        """The text that a script ends with, in UTF-8, once its microtasks are over too. It has `seconds` of processor
        time, and no more of the clock when it sleeps. Raises `TooLate`, `TooLarge`, `EngineStopped`, or `Stuck`."""
        source = code.encode("utf-8", "replace")
        given = self._library.mr_alloc_string_val(self._context, source, len(source), _TEXT)
        task = self._library.mr_eval(self._context, given, 1)
        try:
            raw = self._awaited(seconds)
        except queue.Empty:
            self._cancel(task)
            raise TooLate from None
        reply = self._read(raw)
        self._library.mr_free_value(self._context, given)
        return _text_of(reply)

    def close(self) -> None:
        """Raises `Stuck` when something of the guest is still running that was never awaited."""
        closing = threading.Thread(target=self._library.mr_free_context, args=(self._context,), daemon=True)
        closing.start()
        closing.join(CANCEL_SECONDS)
        if closing.is_alive():
            raise Stuck

    def _awaited(self, seconds: float) -> Any:
        """Raises `queue.Empty`."""
        end = time.monotonic() + CLOCK_FACTOR * seconds
        spent = time.process_time() + seconds
        while True:
            before = time.process_time()
            try:
                return self._replies.get(timeout=max(spent - before, MIN_WAIT))
            except queue.Empty:
                now = time.process_time()
                if now >= spent or now - before < IDLE_SECONDS or time.monotonic() >= end:
                    raise

    def _cancel(self, task: int) -> None:
        self._library.mr_cancel_task(self._context, task)
        try:
            self._replies.get(timeout=CANCEL_SECONDS)
        except queue.Empty:
            raise Stuck from None

    def _read(self, raw: Any) -> _Reply:
        kind, length = raw.contents.type, raw.contents.len
        is_text = kind == _TEXT or kind in _FAILURES
        text = raw.contents.value.bytes_val[0 : min(length, MAX_TEXT_LENGTH)] if is_text else b""
        self._library.mr_free_value(self._context, raw)
        return _Reply(kind, text, length)


def _text_of(reply: _Reply) -> bytes:
    if reply.kind == _OUT_OF_MEMORY:
        raise TooLarge
    if reply.kind == _TERMINATED:
        raise TooLate
    if reply.kind != _TEXT:
        raise EngineStopped(reply.text.decode("utf-8", "replace"))
    if reply.length > MAX_TEXT_LENGTH:
        raise TooLarge
    return reply.text
