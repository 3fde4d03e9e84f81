"""SIGINT, SIGTERM and SIGHUP at any moment of the program's life: a documented exit code, the report that was due, and
no process left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import psutil
import pytest

from tests.support.patience import PATIENCE, wait_for

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DOCUMENTED = (0, 1, 130)
FINDS = {"seconds_per_frame": 0.0005}
CAMPAIGN = ("--test-limit", "20000", "--workers", "2", "--seed", "1", "--format", "json")
ENDLESS_LOOP = "5b600056"
SIGNALS_FIRST = """
from orchestrator.interrupts import install
install()
import runpy
runpy.run_module("tests.support.campaign_program", run_name="__main__", alter_sys=True)
"""
"""As `orchestrator.__main__`: signals are handled before anything heavy is loaded."""


@dataclass
class Life:
    """A program under attack: what it writes is read as it comes, and all processes that it was seen to have."""

    process: subprocess.Popen[bytes]
    folder: Path
    output: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)
    family: set[psutil.Process] = field(default_factory=set)
    readers: list[threading.Thread] = field(default_factory=list)

    def strike(self, number: signal.Signals, times: int = 1) -> None:
        self.look_around()
        for _ in range(times):
            self.process.send_signal(number)

    def look_around(self) -> bool:
        with suppress(psutil.NoSuchProcess):
            self.family.update(psutil.Process(self.process.pid).children(recursive=True))
        return bool(self.family)

    def end(self) -> int:
        """Wait for the end; nothing may be left."""
        code = self.process.wait(PATIENCE)
        for reader in self.readers:
            reader.join()
        wait_for(lambda: not any(map(is_alive, self.family)), "the end of all processes")
        assert b"Traceback" not in self.errors, self.errors.decode()
        assert b"internal error" not in self.errors, self.errors.decode()
        return code


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def alive(folder: Path, command: list[str], *, start_new_session: bool = False, **environment: str) -> Iterator[Life]:
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, **environment},
        start_new_session=start_new_session,
    )
    life = Life(process, folder)
    for stream, into in ((process.stdout, life.output), (process.stderr, life.errors)):
        reader = threading.Thread(target=_read, args=(stream, into), daemon=True)
        reader.start()
        life.readers.append(reader)
    try:
        yield life
    finally:
        process.kill()
        process.wait()
        for reader in life.readers:
            reader.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


def _read(stream: object, into: bytearray) -> None:
    while part := os.read(stream.fileno(), 65_536):
        into += part


def campaign(folder: Path, script: dict[str, object] = FINDS, *arguments: str) -> list[str]:
    """A campaign with workers that find two failing tests."""
    program = [sys.executable, "-c", SIGNALS_FIRST, json.dumps(script)]
    return [*program, "--corpus-dir", str(folder / "corpus"), *CAMPAIGN, *arguments]


def monotreme(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "orchestrator", *arguments]


# --- moments ---------------------------------------------------------------------------------------------------------

Moment = Callable[[Life], object]


def handles_signals(life: Life) -> bool:
    """The program's first lines have run."""
    text = Path(f"/proc/{life.process.pid}/status").read_text()
    caught = next((line for line in text.splitlines() if line.startswith("SigCgt:")), "SigCgt: 0")
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def has_loaded(library: str) -> Moment:
    def moment(life: Life) -> bool:
        return library in Path(f"/proc/{life.process.pid}/maps").read_text()

    return moment


def has_logged(text: str) -> Moment:
    def moment(life: Life) -> bool:
        path = life.folder / "corpus" / "events.jsonl"
        return path.exists() and text in path.read_text()

    return moment


def has_child(part: str) -> Moment:
    def moment(life: Life) -> bool:
        life.look_around()
        return any(part in command_line(child) for child in life.family)

    return moment


def has_threads(number: int) -> Moment:
    return lambda life: len(os.listdir(f"/proc/{life.process.pid}/task")) >= number


def has_said(part: bytes) -> Moment:
    return lambda life: part in life.errors


def has_written(life: Life) -> bool:
    return bool(life.output)


def command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def reach(life: Life, moment: Moment) -> bool:
    """Wait for a moment; false where the program has ended before it was seen."""

    def seen() -> str:
        life.look_around()
        if life.process.poll() is not None:
            return "over"
        try:
            return "there" if moment(life) else ""
        except OSError:
            return ""

    return wait_for(seen) == "there"


LIFE: dict[str, Moment] = {
    "its first lines": handles_signals,
    "packages are loaded": has_loaded("pydantic_core"),
    "compiling": has_logged('"compiling"'),
    "a worker starts": has_child("fake_worker_program"),
    "fuzzing": has_logged('"fuzzing"'),
    "a test fails": has_logged("PropertyFalsified"),
    "a test is shrunk": has_logged("TestDecided"),
    "fuzzing is over": has_logged("CampaignStopped"),
    "reporting": has_logged('"reporting"'),
    "finished": has_logged('"finished"'),
    "the report comes": has_written,
}


QUICK = ("its first lines", "compiling", "a test fails", "finished", "the report comes")


@pytest.mark.parametrize(("name", "number"), list(zip(QUICK, cycle(SIGNALS), strict=False)))
def test_a_signal_at_any_moment_of_a_campaign_leads_to_a_documented_code(
    tmp_path: Path, name: str, number: signal.Signals
) -> None:
    """The report comes with it, wherever fuzzing had begun."""
    with alive(tmp_path, campaign(tmp_path)) as life:
        reach(life, LIFE[name])
        life.strike(number)
        code = life.end()
    check_report(life, code)


def check_report(life: Life, code: int) -> None:
    """Findings are always reported; what is written is one whole document."""
    assert code in DOCUMENTED, life.errors.decode()
    if code != 130:
        assert code == 1, "this campaign finds something unless it is interrupted"
    if code == 1 or life.output:
        report = json.loads(life.output)
        failed = [test for test in report["tests"] if test["status"] == "falsified"]
        assert bool(failed) == (code == 1)


def test_many_signals_end_a_campaign_faster_and_with_a_documented_code(tmp_path: Path) -> None:
    """Five signals do not wait for a report."""
    with alive(tmp_path, campaign(tmp_path)) as life:
        reach(life, LIFE["fuzzing"])
        life.strike(signal.SIGINT, times=5)
        assert life.end() in DOCUMENTED, life.errors.decode()


def test_a_compiler_ends_with_the_program_even_where_it_ends_at_once(tmp_path: Path) -> None:
    """Four signals leave no time for an orderly end."""
    with alive(tmp_path, campaign(tmp_path, {"slow_compiler": 1})) as life:
        assert reach(life, has_child("sleep"))
        life.strike(signal.SIGTERM, times=5)
        assert (life.end(), bytes(life.output)) == (130, b"")


def test_compiled_code_that_never_ends_is_interrupted(tmp_path: Path) -> None:
    """It returns to Python for nothing; a loop costs gas, of which there is enough for years."""
    command = monotreme("evm", "run", "--code", ENDLESS_LOOP, "--gas", str(2**62))
    with alive(tmp_path, command) as life:
        reach(life, has_threads(2))
        life.strike(signal.SIGTERM)
        assert (life.end(), bytes(life.output), bytes(life.errors)) == (130, b"", b"interrupted\n")


def test_a_kernel_build_ends_with_the_program(tmp_path: Path) -> None:
    """The compiler of the kernel is a process of its own."""
    command = monotreme("evm", "run", "--code", "00")
    with alive(tmp_path, command, MONOTREME_CACHE=str(tmp_path)) as life:
        assert reach(life, has_child("native_build"))
        life.strike(signal.SIGHUP)
        assert life.end() == 130


def test_ctrl_c_in_a_terminal_reaches_state_tests_once(tmp_path: Path) -> None:
    """Every process of the group gets it; those that run the files leave it to the one that started them."""
    command = monotreme("evm", "statetest", "--workers", "2", "tests/simulator/evm/state_tests")
    with alive(tmp_path, command, start_new_session=True) as life:
        assert reach(life, has_child("spawn_main"))
        life.look_around()
        os.killpg(life.process.pid, signal.SIGINT)
        assert (life.end(), bytes(life.errors)) == (130, b"interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "moment", "code"),
    [
        (("mcp",), handles_signals, (130, 0)),
        (("serve", "--mcp-port", "0"), has_said(b"agents connect"), (0,)),
        (("config", "show"), has_loaded("pydantic_core"), (130, 0)),
        (("--help",), handles_signals, (130, 0)),
    ],
)
def test_other_commands_end_as_documented(
    tmp_path: Path, arguments: tuple[str, ...], moment: Moment, code: tuple[int, ...]
) -> None:
    """A server that serves ends well by a signal: that is how one ends it."""
    with alive(tmp_path, monotreme(*arguments), XDG_STATE_HOME=str(tmp_path)) as life:
        reach(life, moment)
        life.strike(signal.SIGTERM)
        assert life.end() in code, life.errors.decode()


@pytest.mark.nightly
def test_a_signal_that_its_parent_ignores_stays_ignored(tmp_path: Path) -> None:
    """`nohup` keeps a program alive when its terminal closes."""
    command = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *campaign(tmp_path)]
    with alive(tmp_path, command) as life:
        reach(life, LIFE["fuzzing"])
        life.strike(signal.SIGHUP)
        assert life.end() == 1
    assert json.loads(life.output)["campaign"]["stopReason"] != "interrupted"


# --- the long form ---------------------------------------------------------------------------------------------------

STRIKES = 200
REAL_STRIKES = 40


def real_campaign(folder: Path) -> list[str]:
    """The same with a compiler, the kernel and real workers."""
    target = ("examples/token", "--contract", "TokenHarness", "--config", "examples/token/echidna.yaml")
    return monotreme("fuzz", *target, "--corpus-dir", str(folder / "corpus"), *CAMPAIGN)


@pytest.mark.nightly
@pytest.mark.parametrize(("command", "strikes"), [(campaign, STRIKES), (real_campaign, REAL_STRIKES)])
def test_a_campaign_survives_signals_at_many_moments_of_its_life(
    tmp_path: Path, command: Callable[[Path], list[str]], strikes: int
) -> None:
    """Spread over the time that a life takes here and now; what is asserted does not depend on it."""
    with alive(tmp_path / "whole", command(tmp_path / "whole")) as life:
        wait_for(lambda: handles_signals(life))
        began = time.monotonic()
        assert life.end() == 1
        whole = time.monotonic() - began
    for strike in range(strikes):
        folder = tmp_path / str(strike)
        with alive(folder, command(folder)) as life:
            wait_for(lambda life=life: handles_signals(life))
            time.sleep(whole * 1.1 * strike / strikes)
            life.strike(SIGNALS[strike % 3], times=1 + strike // 3 % 2)
            code = life.end()
        assert code in DOCUMENTED, (strike, life.errors.decode())
        if strike // 3 % 2 == 0:
            check_report(life, code)


@pytest.mark.nightly
@pytest.mark.parametrize("name", LIFE)
@pytest.mark.parametrize("number", SIGNALS)
def test_each_signal_at_each_moment_once_and_often(tmp_path: Path, name: str, number: signal.Signals) -> None:
    """One signal keeps the report; five do not, but the code is documented."""
    for times in (1, 5):
        folder = tmp_path / str(times)
        with alive(folder, campaign(folder)) as life:
            reach(life, LIFE[name])
            life.strike(number, times)
            code = life.end()
        assert code in DOCUMENTED, life.errors.decode()
        if times == 1:
            check_report(life, code)
