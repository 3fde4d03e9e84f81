"""The confined process: it executes one job and writes what came of it, a line of JSON for each thing.

stdin:  a `SandboxJob` of `messages`
stdout: {"engine", "protections"} or {"failed"}; then {} or {"error", "uses"} for the loading of the subject; then for
        each call in turn {"kind", ...}, as far as this process lives.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from tools.javascript_sandbox.confinement import confine, limit_time_and_files
from tools.javascript_sandbox.engine import Engine, EngineStopped, Stuck, TooLarge, TooLate

MAX_LATENESS = 2
PATIENT_WITH = 4
IMPATIENT = 5
SETTING_UP_SECONDS = 5.0
_CHUNK = 1 << 20
_LATE = b'{"kind":"late"}'
_LARGE = b'{"kind":"large"}'
_BROKEN = b'{"kind":"broken"}'
_NOTHING = {"subject": "() => ({})", "places": 0, "absent": [], "recent": []}


def main() -> None:
    """The program; its arguments are the time zone and how many seconds it may take."""
    os.environ.clear()
    os.environ["TZ"] = sys.argv[1]
    limit_time_and_files(int(sys.argv[2]))
    try:
        engine = Engine()
        realm = Path(__file__).with_name("realm.js").read_text(encoding="utf-8")
        protections = confine()
        _Job(engine, realm, _NOTHING).load(SETTING_UP_SECONDS)  # the engine works where it is confined
    except Exception as error:  # the parent is notified, whatever it was; nothing of a guest has run
        _say(failed=f"{type(error).__name__}: {error}"[:500])
        return
    _say(engine=engine.version, protections=protections)
    given = json.loads(_everything())
    _execute(_Job(engine, realm, given), given)


def _execute(job: _Job, given: dict[str, Any]) -> None:
    patience = _Patience(given["milliseconds"] / 1000, given["late"])
    complaint = _complaint(job, patience.seconds)
    _line(complaint or b"{}")
    if complaint:
        return
    for call in given["calls"]:
        outcome = _LATE if patience.is_over(call["name"]) else _outcome(job, call, patience)
        _line(outcome)


def _complaint(job: _Job, seconds: float) -> bytes:
    try:
        return job.load(seconds)
    except TooLate:
        return _error(f"it takes longer than {seconds * 1000:.0f} ms")
    except TooLarge:
        return _error("it takes too much memory")
    except EngineStopped as error:
        return _error(_gist(str(error)))
    except Stuck:
        _line(_error("it does not stop"))
        os._exit(0)


def _outcome(job: _Job, call: dict[str, str], patience: _Patience) -> bytes:
    try:
        return job.carry_out(call, patience.seconds) or _LATE
    except TooLate:
        patience.wears_thin(call["name"])
        return _LATE
    except TooLarge:
        return _LARGE
    except EngineStopped:
        return _BROKEN
    except Stuck:
        _line(_LATE)
        os._exit(0)


class _Patience:
    """A function that keeps running into the time limit would use up the time of all the others."""

    def __init__(self, seconds: float, late: dict[str, int]) -> None:
        self._seconds = seconds
        self._late = late

    @property
    def seconds(self) -> float:
        return self._seconds / IMPATIENT if sum(self._late.values()) >= PATIENT_WITH else self._seconds

    def is_over(self, name: str) -> bool:
        return self._late.get(name, 0) >= MAX_LATENESS

    def wears_thin(self, name: str) -> None:
        self._late[name] = self._late.get(name, 0) + 1


class _Job:
    """Code under test, loaded into a realm of its own for each call. Its methods raise what `Realm.evaluate` does."""

    def __init__(self, engine: Engine, realm: str, given: dict[str, Any]) -> None:
        self._engine = engine
        names = f"{json.dumps(given['absent'])}, {json.dumps(given['recent'])}"
        self._opening = f"{realm}\n__sandbox.hide({names});''"
        self._loading = f"__sandbox.load({given['subject']}, {int(given['places'])})"

    def load(self, seconds: float) -> bytes:
        """Load the code alone: nothing, or JSON that says why it cannot be loaded."""
        return self._in_a_fresh_realm([self._loading], seconds)

    def carry_out(self, call: dict[str, str], seconds: float) -> bytes:
        """Outcome of a call as JSON, including its microtasks; nothing when a promise is still open then."""
        observing = f"__sandbox.observe({json.dumps(call['key'])}, ({call['local']}) => {call['invocation']})"
        return self._in_a_fresh_realm([self._loading, observing, "__sandbox.report()"], seconds)

    def _in_a_fresh_realm(self, scripts: list[str], seconds: float) -> bytes:
        realm = self._engine.realm()
        try:
            found = realm.evaluate(self._opening, seconds=SETTING_UP_SECONDS)
            for script in scripts:
                found = realm.evaluate(script, seconds=seconds)
            return found
        finally:
            realm.close()


def _gist(message: str) -> str:
    """The line of V8's message that names the error."""
    lines = [line for line in message.splitlines() if "Error: " in line]
    return (lines[-1] if lines else message)[:500]


def _error(message: str) -> bytes:
    return json.dumps({"error": message, "uses": ""}).encode()


def _say(**fields: object) -> None:
    _line(json.dumps(fields).encode())


def _line(text: bytes) -> None:
    left = memoryview(text.replace(b"\n", b" ") + b"\n")
    while left:
        left = left[os.write(1, left) :]


def _everything() -> bytes:
    pieces = []
    while piece := os.read(0, _CHUNK):
        pieces.append(piece)
    return b"".join(pieces)
