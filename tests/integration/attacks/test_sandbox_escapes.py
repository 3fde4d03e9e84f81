"""Ways out of the JavaScript sandbox: whatever code under test does, nothing leaves it, and the answer is an answer.

Attacks of a kind share one process, each in a realm of its own, as the calls of one request do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from tests.support.javascript_attacks import ATTACKS, FATAL, LARGE, LATE, LOOT
from tests.tools.analysis.conftest import Bench
from tools.analysis.test_generator.sandbox import ABSENT, RECENT
from tools.caller import Caller
from tools.javascript_sandbox.messages import Observed, SandboxCall, SandboxJob
from tools.javascript_sandbox.process import Answers, JavaScriptSandbox
from tools.tool import Scope

PATIENT = 600.0
PUBLISHED = next(iter(ATTACKS.values()))
HARMLESS = SandboxCall("harmless", "harmless", "harmless", "harmless()")


ATTEMPTS = 8


class Box:
    """Runs attacks, and tells whether anything left the sandbox."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._secret = folder / "secret"
        self._secret.write_text("nobody reads this")
        self._processes = _children()
        self._sandbox = JavaScriptSandbox()

    def loot(self) -> str:
        return LOOT.replace("MARK", str(self._folder / "mark"))

    async def attacked(self, bodies: Mapping[str, str], milliseconds: int = 300) -> Answers:
        """Each body as a function and a call of it, and then a call that does no harm."""
        functions = ",\n".join(f"f{number}: function () {{{body}\n}}" for number, body in enumerate(bodies.values()))
        subject = f"(reached) => {{ {self.loot()}; return {{ harmless: () => 'unharmed', {functions} }}; }}"
        calls = [SandboxCall(name, f"f{number}", "f", "f()") for number, name in enumerate(bodies)]
        job = SandboxJob(subject, 0, [*calls, HARMLESS], milliseconds, {}, ABSENT, RECENT)
        answers = await self._sandbox.run(job, zone="UTC", seconds=PATIENT)
        self.assert_nothing_left()
        return answers

    async def outcomes(self, bodies: Mapping[str, str], milliseconds: int = 5_000) -> dict[str, Observed]:
        """Of each body. A machine that makes the harmless call late as well shows nothing, and gets more time."""
        for attempt in range(ATTEMPTS):
            *observed, harmless = (await self.attacked(bodies, milliseconds << attempt)).observed
            if harmless.kind != "late":
                break
        assert harmless.source == '"unharmed"'
        return dict(zip(bodies, observed, strict=True))

    def assert_nothing_left(self) -> None:
        assert [file.name for file in self._folder.iterdir()] == ["secret"]
        assert self._secret.read_text() == "nobody reads this"
        assert _children() <= self._processes


def _children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture
def box(tmp_path: Path) -> Box:
    folder = tmp_path / "outside"
    folder.mkdir()
    return Box(folder)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path / "project"
    root.mkdir()
    return Bench(root)


async def test_nothing_of_the_host_is_within_reach(box: Box, subtests: pytest.Subtests):
    """Each attack comes back with empty hands, and does not stop the report."""
    for attack, outcome in (await box.outcomes(ATTACKS)).items():
        with subtests.test(attack):
            assert outcome.kind in ("value", "throw", "broken"), outcome
            assert ";" not in (outcome.source or ""), outcome  # with which every piece of loot ends


async def test_what_does_not_end_is_ended(box: Box, subtests: pytest.Subtests):
    """In its own realm; the attacks after it have theirs."""
    for attack, outcome in (await box.outcomes(LATE, milliseconds=100)).items():
        with subtests.test(attack):
            assert outcome.kind == "late"


@pytest.mark.nightly
async def test_what_grows_without_end_is_stopped(box: Box, subtests: pytest.Subtests):
    """By the limit of the heap, of the stack, or of the time."""
    for attack, outcome in (await box.outcomes(LARGE, milliseconds=150)).items():
        with subtests.test(attack):
            assert outcome.kind in ("large", "late") or outcome.source is None, outcome


@pytest.mark.parametrize("attack", FATAL)
async def test_what_the_engine_cannot_stop_ends_with_its_process(box: Box, attack: str):
    """The process says so, or dies of it: its parent sees which call it was. Where the engine stops it after all, the
    call is late and the next one is not harmed."""
    answers = await box.attacked({attack: FATAL[attack]}, milliseconds=100)
    assert answers.loaded is not None
    assert not answers.timed_out
    allowed = (["late"], ["late", "value"]) if answers.gave_up else ([],)
    assert [one.kind for one in answers.observed] in allowed


@pytest.mark.parametrize("attack", [None, *FATAL])
@pytest.mark.nightly
async def test_a_dangerous_function_costs_the_others_nothing(bench: Bench, attack: str | None):
    """They are tested all the same, whatever became of the process that it was called in."""
    body = FATAL[attack] if attack else LARGE["arrays without end"]
    code = f"const fine = (n) => n + 1;\nfunction deadly() {{ {body} }}\nconst alsoFine = (n) => n + 2;"
    tests = (await bench.call("test-generator", code=code))["testCode"]
    assert 'describe("fine"' in tests
    assert 'describe("alsoFine"' in tests
    assert "// No test for deadly: it takes too" in tests


async def test_text_that_closes_the_wrapper_stays_in_the_realm(box: Box):
    """The text around the code is no boundary; the realm and the process are."""
    evil = f"() => ({{ f: () => found }}), 0); {box.loot()}; globalThis.found = loot(globalThis); String(''"
    job = SandboxJob(evil, 0, [SandboxCall("f", "f", "f", "f()")], 300, {}, ABSENT, RECENT)
    (observed,) = (await JavaScriptSandbox().run(job, zone="UTC", seconds=PATIENT)).observed
    assert observed.source == '""'
    box.assert_nothing_left()


async def test_the_published_escape_through_the_tool(bench: Bench, box: Box):
    """From the call of an agent to its answer, which is well formed."""
    code = f"{box.loot()}\nfunction escape() {{{PUBLISHED}}}"
    answer = await bench.call("test-generator", code=code)
    assert answer["success"] is False
    assert "escape: it" in answer["error"]
    box.assert_nothing_left()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("Object.prototype.toJSON = () => 1; throw new Proxy(new Error(), { get() { throw 1; } })", "without text"),
        ("for (;;)", "takes longer than 400 ms"),
        pytest.param("let all = []; for (;;) all = [all, new Array(1000).fill(1)]", "takes", marks=pytest.mark.nightly),
        pytest.param(
            "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)", "does not stop", marks=pytest.mark.nightly
        ),
    ],
)
async def test_code_that_attacks_when_it_is_loaded(bench: Bench, body: str, reason: str):
    """Before any call of a function: the answer says that loading is what fails."""
    answer = await bench.call("test-generator", code=f"function f() {{}}\n{body};")
    assert answer["success"] is False
    assert "the code fails when it is loaded: " in answer["error"]
    assert reason in answer["error"]


async def test_a_token_that_only_reads_executes_no_code(bench: Bench):
    """The tool executes what it is given: it needs the token that controls, and says that it is not read-only."""
    reader = Caller("reader", frozenset({Scope.READ}))
    for arguments in ({"code": "const f = () => 1;"}, {"code": "", "findingId": "abc"}):
        rendered = await bench.dispatcher.call("test-generator", arguments, reader)
        assert rendered.is_error
        assert "control" in json.loads(rendered.text)["error"]
    tool = bench.dispatcher.registry.find("test-generator")
    assert tool.annotations.read_only is False
