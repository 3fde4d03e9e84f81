"""The parent of the confined process: what it hands over, and what it believes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from tests.support.process_checks import is_soon_gone, until
from tests.tools.analysis.conftest import Bench
from tools.javascript_sandbox import process
from tools.javascript_sandbox.confinement import Protection
from tools.javascript_sandbox.messages import SandboxCall, SandboxJob
from tools.javascript_sandbox.process import Answers, EngineFailed, JavaScriptSandbox

PATIENT = 60.0
READY = b'{"engine": "1"}\n{}\n'
CODE = "const add = (a, b) => a + b;"
LIES = {
    "nothing": b"",
    "no JSON": b"hello\n",
    "no UTF-8": b'{"engine": "\xff"}\n',
    "half a surrogate": b'{"engine": "\\ud800"}\n',
    "nesting without end": b"[" * 200_000 + b"\n",
    "an unknown field": b'{"engine": "1", "more": 1}\n',
    "the wrong type": b'{"engine": 1}\n',
    "an unknown kind": READY + b'{"kind": "other"}\n',
    "an object for a text": READY + b'{"kind": "value", "source": {"toString": 1}}\n',
    "a text that is too long": READY + b'{"kind": "value", "source": "' + b"x" * 20_000 + b'"}\n',
    "hits that are no number": READY + b'{"kind": "value", "hits": "zz"}\n',
    "a nested field": READY + b'{"kind": "value", "message": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}\n",
}


def job(*calls: str) -> SandboxJob:
    given = [SandboxCall(call, "f", "f", call) for call in calls]
    return SandboxJob("() => ({ f: (a) => a + 1 })", 0, given, 400, {}, (), ())


def program(folder: Path, body: str) -> JavaScriptSandbox:
    """A sandbox whose Python is this one, with another program."""
    file = folder / "python"
    file.write_text(f"#!{sys.executable} -IS\nimport json, os, sys\n{body}\n")
    file.chmod(0o755)
    return JavaScriptSandbox(str(file))


def writing(folder: Path, text: bytes) -> JavaScriptSandbox:
    (folder / "text").write_bytes(text)
    return program(folder, f"sys.stdout.buffer.write(open({str(folder / 'text')!r}, 'rb').read())")


async def run(box: JavaScriptSandbox, wanted: SandboxJob, seconds: float = PATIENT) -> Answers:
    return await box.run(wanted, zone="UTC", seconds=seconds)


async def test_calls_are_answered_in_turn():
    """Each with what it did, and which protections held meanwhile."""
    answers = await run(JavaScriptSandbox(), job("f(1)", "f('x')"))
    assert [one.source for one in answers.observed] == ["2", '"x1"']
    assert answers.ready.engine.split(".")[0].isdecimal()
    assert Protection.LIMITS in answers.ready.protections
    assert answers.gave_up


async def test_the_process_inherits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An empty folder, no variable but the mark of the run, its three pipes, a session of its own."""
    monkeypatch.setenv("A_TOKEN", "secret")
    body = """
descriptors = sorted(map(int, os.listdir("/proc/self/fd")))
found = [os.listdir("."), sorted(os.environ), descriptors, os.getsid(0) == os.getpid()]
os.write(1, json.dumps({"failed": json.dumps(found)}).encode() + b"\\n")"""
    box = program(tmp_path, body)
    with (tmp_path / "open").open("wb") as held:
        os.set_inheritable(held.fileno(), True)
        with pytest.raises(EngineFailed) as caught:
            await run(box, job())
    folder, variables, descriptors, leads = json.loads(str(caught.value))
    assert (folder, leads) == ([], True)
    assert set(variables) <= {"MONOTREME_RUN", "LC_CTYPE"}  # the second is Python's own
    assert descriptors == [0, 1, 2, 3]  # the last is the list of them itself


@pytest.mark.parametrize("lie", LIES)
async def test_an_answer_in_another_form_is_a_failure_of_the_engine(tmp_path: Path, lie: str):
    """A typed error, whatever the process wrote."""
    with pytest.raises(EngineFailed):
        await run(writing(tmp_path, LIES[lie]), job("f(1)"))


async def test_output_without_end_is_cut_off(tmp_path: Path):
    """The process goes; of what it wrote, whole lines count."""
    flood = program(tmp_path, "while True: os.write(1, b'x' * 65536)")
    with pytest.raises(EngineFailed, match="wrote more than"):
        await run(flood, job("f(1)"))


async def test_a_process_that_does_not_end_is_killed_with_what_it_started(tmp_path: Path):
    """At its deadline, as a group, SIGTERM or not."""
    pids = tmp_path / "pids"
    body = f"""
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child: open({str(pids)!r}, "w").write(f"{{os.getpid()}} {{child}}")
while True: time.sleep(1)"""
    with pytest.raises(EngineFailed, match="was not ready"):
        await run(program(tmp_path, body), job(), seconds=3)
    if pids.exists():  # a very busy machine may not have come so far
        assert all(is_soon_gone(int(pid)) for pid in pids.read_text().split())


async def test_a_cancelled_caller_takes_the_process_along():
    """Nothing continues for somebody who is gone."""
    endless = SandboxJob(
        "() => ({ f: () => { for (;;); } })", 0, [SandboxCall("f", "f", "f", "f()")], 60_000, {}, (), ()
    )
    before = set(psutil.Process().children())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, JavaScriptSandbox(), endless)
        await until(lambda: set(psutil.Process().children()) - before)
        (child,) = set(psutil.Process().children()) - before
        nursery.cancel_scope.cancel()
    assert is_soon_gone(child.pid)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('os.write(1, b\'{"failed": "OSError: no such library"}\\n\')', "no such library"),
        ("sys.exit(5)", "exit code 5"),
        ("os.kill(os.getpid(), 11)", "exit code -11"),
    ],
)
async def test_a_failure_of_the_engine_is_no_fault_of_the_code(tmp_path: Path, body: str, message: str):
    """The error of the tool says that the engine does not work, and why."""
    (tmp_path / "project").mkdir()
    bench = Bench(tmp_path / "project", program(tmp_path, body))
    answer = await bench.call("test-generator", code=CODE)
    assert "the JavaScript engine does not work" in answer["error"]
    assert message in answer["error"]


async def test_a_missing_engine_or_python_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each by its name."""
    with pytest.raises(EngineFailed, match="cannot be started"):
        await run(JavaScriptSandbox(str(tmp_path / "none")), job())
    monkeypatch.setattr(process, "ENGINE_PACKAGE", "no_such_package")
    with pytest.raises(EngineFailed, match="mini-racer is not installed"):
        await run(JavaScriptSandbox(), job())


async def test_node_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Nothing on PATH, or a Node that does harm."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "node").write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    (tmp_path / "bin" / "node").chmod(0o755)
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    answer: dict[str, Any] = await Bench(tmp_path / "project").call("test-generator", code=CODE)
    assert answer["coverage"] == {"lines": 100, "branches": 100}
    assert not (tmp_path / "mark").exists()


async def test_a_command_tells_which_protections_hold():
    """One line for each, yes or no."""
    argv = [sys.executable, "-m", "tools.javascript_sandbox"]
    done = await trio.run_process(argv, capture_stdout=True, cwd=Path(process.__file__).parents[2])
    first, *lines = done.stdout.decode().splitlines()
    assert first.startswith("V8 ")
    assert [line[4:] for line in lines] == list(Protection)
    assert all(line[:4] in ("yes ", "NO  ") for line in lines)
