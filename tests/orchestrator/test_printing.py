"""Every surface that prints or writes for people: whatever texts it is given, nothing controls a terminal."""

from __future__ import annotations

import ast
import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from actors.events.types import CheckpointFailed, PropertyFalsified, Steered, Warned
from orchestrator.assembly.observation import describe
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.console import PrintableConsole
from orchestrator.failures import failure_of
from orchestrator.history import History
from orchestrator.live_view import render, render_last
from orchestrator.logging import configure_logging
from orchestrator.report.echidna_text import render_echidna_text
from orchestrator.report.html import render_html
from orchestrator.report.json_report import render_json
from orchestrator.report.model import CampaignReport, CampaignSummary, CorpusSummary, Delay, ReproducerCall, TestReport
from orchestrator.report.text import render_text
from orchestrator.snapshot import CampaignSnapshot, TestSnapshot
from orchestrator.status_line import status_line
from orchestrator.streams import GuardedStream, write_progress, write_result, write_stderr
from simulator.compile.diagnostics import Diagnostic, render_as_solc, render_diagnostic
from simulator.coverage.file_coverage import FileCoverage, FunctionCount, LineCount
from simulator.coverage.lcov import render as render_lcov
from simulator.coverage.summary import ContractCoverage, CoverageSummary
from simulator.printable import is_safe, printable, printable_colored
from tests.support.patience import PATIENCE
from tools.rendering import compact_json

PROJECT = Path(__file__).parents[2]
ATTACK = "\x1b[2J\x1b]0;t\x07\x9b\u061c\u202e\u2066\u2028\ufeff\U000e0041\udcff"
TEXTS = st.text(st.sampled_from("\x1b[2J\x9b\x7f\r\n\t\u200e\u202e\udcffaé合 :=") | st.characters(), max_size=24)
ATTACKS = TEXTS.map(lambda text: text + ATTACK + text)


def report(text: str) -> CampaignReport:
    call = ReproducerCall(text, text, (text,), text, text, "0", Delay(1, 1), text, text)
    kinds = (("property", "falsified"), ("optimization", "passed"), ("assertion", "error"), ("assertion", "passed"))
    return CampaignReport(
        campaign=CampaignSummary(text, "property", 1, 1, 1, 1.0, 1.0, text),
        tests=tuple(
            TestReport(text, kind, text, status, text, False, (call,), text, (text,), (call,)) for kind, status in kinds
        ),
        coverage=CoverageSummary(1.0, 1.0, (ContractCoverage(text, text, 1.0, 1.0, 1, 1, 1, 1),)),
        corpus=CorpusSummary(1, 1, text),
    )


def coverage(text: str) -> FileCoverage:
    return FileCoverage(text, text, (LineCount(1, 1, text),), (), (FunctionCount(1, 1, text, 1),))


def snapshot(text: str, phase: str = "fuzzing") -> CampaignSnapshot:
    return CampaignSnapshot(
        target=text,
        mode="optimization",
        phase=phase,  # type: ignore[arg-type]
        seed=1,
        activity=text,
        tests=(TestSnapshot(text, "solved", text),),
        messages=(text,),
        message_count=1,
    )


def picture(text: str) -> str:
    """The live view's text, without rich's own colours and cursor movements."""
    file = io.StringIO()
    console = PrintableConsole(file=file, width=100, height=40)
    for phase in ("compiling", "fuzzing"):
        console.print(render(snapshot(text, phase), History(), 100, 40))
    console.print(render_last(snapshot(text), 100), Text(text), text)
    return file.getvalue()


def diagnostic(text: str) -> Diagnostic:
    return Diagnostic("error", text, text, text, 1, 2, 1, 5, text)


def sentences(text: str) -> str:
    events = (
        *(PropertyFalsified(0, text, "property", text, text, ()), Warned(text), Steered(text, text)),
        CheckpointFailed(text, text),
    )
    return "\n".join(status_line(snapshot(describe(0, event) or "")) for event in events)


SURFACES: dict[str, Callable[[str], str]] = {
    "the report": lambda text: render_text(report(text)),
    "the JSON report": lambda text: render_json(report(text)),
    "covered.txt": lambda text: render_echidna_text([coverage(text)], "/root"),
    "the HTML report": lambda text: render_html([coverage(text)], title=text, generated=1),
    "LCOV": lambda text: render_lcov([coverage(text)], "/root"),
    "the status line": lambda text: status_line(snapshot(text)) + status_line(snapshot(text, "compiling")),
    "the live view": picture,
    "events as sentences": sentences,
    "a compiler's message": lambda text: render_diagnostic(diagnostic(text)),
    "a message as solc's": lambda text: render_as_solc(diagnostic(text)),
    "answers to agents": lambda text: compact_json({text: [text]}),
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
@settings(max_examples=25)
@given(text=ATTACKS)
def test_no_surface_shows_what_controls_a_terminal(surface: Callable[[str], str], text: str) -> None:
    """Before the stream makes everything printable once more."""
    shown = surface(text)
    assert is_safe(shown)
    shown.encode()


def test_a_coloured_report_has_no_other_escapes() -> None:
    """The colours are the program's own."""
    assert printable_colored(shown := render_text(report(ATTACK), color=True)) == shown
    assert "\x1b[2J" not in shown


@given(text=ATTACKS)
def test_an_error_is_its_own_lines_only(text: str) -> None:
    """A line end in a name begins no message of its own."""
    for error in (ConfigurationError(f"a{text}error: forged"), OSError(2, "missing", text), ValueError(text)):
        lines = printable(failure_of(error).text).splitlines()
        assert sum(line.startswith("error:") for line in lines) <= 1


def written_by(write: Callable[[], object]) -> str:
    """Bytes that reach stdout and stderr of a program that has guarded them."""
    raw = io.BytesIO(), io.BytesIO()
    guarded = [GuardedStream(io.TextIOWrapper(buffer, "utf-8")) for buffer in raw]
    with redirect_stdout(guarded[0]), redirect_stderr(guarded[1]):
        write()
    for stream in guarded:
        stream.flush()
    return "".join(buffer.getvalue().decode() for buffer in raw)


def write_in_every_way() -> None:
    write_stderr(ATTACK)
    write_progress(ATTACK)
    write_result(ATTACK)
    write_result(json.dumps(ATTACK, ensure_ascii=False), "json")
    print(ATTACK, file=sys.stdout)
    sys.stderr.writelines([ATTACK])
    logging.Logger("library").handle(logging.LogRecord("x", logging.ERROR, "x", 1, ATTACK, (), None))
    logging.StreamHandler(sys.stderr).emit(logging.LogRecord("x", logging.ERROR, "x", 1, ATTACK, (), None))
    configure_logging("text")
    structlog.get_logger().error(ATTACK, key=ATTACK, folder=Path(ATTACK))
    structlog.reset_defaults()
    sys.excepthook(ValueError, ValueError(ATTACK), None)


def test_nothing_that_is_written_to_a_stream_stays_raw() -> None:
    """Every writer: the program, its log, a library's log, a warning, click, a traceback, or `print`."""
    shown = written_by(write_in_every_way)
    assert is_safe(shown.replace("\r", "", 1))
    assert shown.count("\\x1b[2J") >= 8


def test_a_progress_line_may_rewrite_itself() -> None:
    """A carriage return at the start is the program's; one within a text is not."""
    assert written_by(lambda: sys.stderr.write("\r1 of 2\rforged")) == "\r1 of 2\\rforged"


def test_the_programs_streams_are_guarded_from_the_start() -> None:
    """Also for what click says before a command is known; bytes that are not UTF-8 are shown as bytes."""
    command = [os.fsencode(sys.executable), b"-m", b"orchestrator", b"\xff\x1b[2J\xe2\x80\xae"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, cwd=PROJECT)
    assert done.returncode == 2
    assert is_safe(done.stderr.decode())


# Programs of their own, whose output is read by a parent, and the one module that owns the streams.
WRITERS = {
    "actors/executors/ray_bridge/__main__.py",
    "orchestrator/streams.py",
    "simulator/cache/store.py",
    "simulator/compile/__main__.py",
    "simulator/seeding/__main__.py",
    "simulator/seeding/memory_watch.py",
    "simulator/evm/compiled/compiler.py",
    "simulator/native_build.py",
    "simulator/evm/kernel/run/interpreter.py",
    "simulator/foundry_tests/__main__.py",
    "simulator/kernel_loader.py",
    "tools/javascript_sandbox/__main__.py",
}


def test_only_one_module_writes_to_the_streams() -> None:
    """Everything else goes through it, so that nothing can be forgotten."""
    raw = re.compile(r"(sys\.(__)?std(out|err)(__)?\.(buffer|write|writelines)|click\.s?echo|\bprint)\(")
    consoles = re.compile(r"(?<!Printable)\bConsole\(")
    for room in ("simulator", "actors", "tools", "orchestrator"):
        for path in (PROJECT / room).rglob("*.py"):
            name, source = path.relative_to(PROJECT).as_posix(), path.read_text(encoding="utf-8")
            calls = [ast.unparse(node.func) + "(" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
            found = [call for call in calls if raw.fullmatch(call) or consoles.fullmatch(call)]
            assert not found or name in WRITERS, f"{name} writes past orchestrator.streams: {found}"


def test_only_one_module_decides_what_is_printable() -> None:
    """A second list of characters would sooner or later be another one."""
    own = re.compile(r"\\u202[a-e]|\\u206[6-9]|\\x7f-\\x9f")
    # Removes terminal sequences from the output of build tools, which is then made printable as all else.
    known = {"simulator/printable.py", "tools/builds/text.py"}
    for room in ("simulator", "actors", "tools", "orchestrator"):
        for path in (PROJECT / room).rglob("*.py"):
            if own.search(path.read_text(encoding="utf-8")):
                assert path.relative_to(PROJECT).as_posix() in known
