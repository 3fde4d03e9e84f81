"""Native code in the confined process: the case that the engine itself has a hole."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE
from tools.javascript_sandbox import seccomp
from tools.javascript_sandbox.confinement import Protection
from tools.javascript_sandbox.landlock import landlock_version

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "tests" / "support" / "confined_program.py"
needs_landlock = pytest.mark.skipif(landlock_version() == 0, reason="the kernel has no Landlock")
needs_seccomp = pytest.mark.skipif(seccomp.processor() is None, reason="no filter for this processor")
FILES = ("read a file", "write a file", "list a folder", "read own memory map")
CHANGES = ("make a folder", "remove a file", "link a file")
OPENED = ("read a file", "write a file", "make memory that is a file", "copy a descriptor", "make a pair of sockets")


def confined(folder: Path, how: str, *attempts: str) -> dict[str, Any]:
    """The program's findings; nothing outside of it was touched."""
    (folder / "secret").write_text("unread")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        argv = [sys.executable, "-I", "-S", "-B", str(PROGRAM), str(ROOT), str(folder), how, port, *attempts]
        done = subprocess.run(argv, capture_output=True, check=True, env={}, timeout=PATIENCE)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def assert_untouched(folder: Path) -> None:
    assert [file.name for file in folder.iterdir()] == ["secret"]
    assert (folder / "secret").read_text() == "unread"


@needs_landlock
@needs_seccomp
def test_native_code_reaches_nothing(tmp_path: Path):
    """No file, no process, no network, no new code, no higher limit."""
    answer = confined(tmp_path, "all")
    assert set(answer["protections"]) == set(Protection)
    assert {name: found for name, found in answer["found"].items() if found == "done"} == {}
    assert answer["found"]["take more memory"] == "MemoryError"
    assert_untouched(tmp_path)


@needs_seccomp
def test_the_filter_alone_refuses(tmp_path: Path):
    """Everything but memory that may be written."""
    found = confined(tmp_path, "seccomp")["found"]
    assert {name for name, result in found.items() if result == "done"} == {"take more memory"}
    assert_untouched(tmp_path)


@needs_landlock
def test_landlock_alone_gives_up_files_and_connections(tmp_path: Path):
    """Also those of the process itself, whatever started it."""
    found = confined(tmp_path, "landlock")["found"]
    assert {found[name] for name in (*FILES, *CHANGES)} == {"EACCES"}
    assert found["execute a program"] == "EACCES"
    assert found["open a connection"] == ("EACCES" if landlock_version() >= 4 else "done")
    assert_untouched(tmp_path)


def test_the_limits_alone_open_nothing(tmp_path: Path):
    """They hold on every system: no descriptor more than the three pipes."""
    found = confined(tmp_path, "files", *OPENED)["found"]
    assert set(found.values()) <= {"EMFILE", "EINVAL"}  # the second where a number is asked for


def test_the_filter_knows_each_call_on_each_processor():
    """A jump over its verdict would let a call through, or refuse all that follow."""
    for known in seccomp.PROCESSORS.values():
        program = seccomp._assembled(known)
        for at, (code, yes, no, _) in enumerate(program):
            is_jump = code in (0x15, 0x45)
            assert at + 1 + max(yes, no) < len(program) if is_jump else (yes, no) == (0, 0)
        assert program[-1] == (0x06, 0, 0, 0x00050001)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("idle", "number"), [("time.sleep(600)", signal.SIGALRM), ("while True: pass", signal.SIGKILL)]
)
def test_the_kernel_ends_a_process_that_nobody_ends(idle: str, number: signal.Signals):
    """After its time, asleep or busy; a busy one that gets no processor is ended by the clock."""
    start = f"import sys, time; sys.path.append({str(ROOT)!r}); from tools.javascript_sandbox import confinement"
    program = f"{start}; confinement.limit_time_and_files(0)\n{idle}"
    done = subprocess.run([sys.executable, "-ISB", "-c", program], check=False, timeout=PATIENCE)
    assert done.returncode in (-number, -signal.SIGALRM)


def test_a_limit_that_is_lower_already_stays(tmp_path: Path):
    """It is never raised to what the sandbox allows."""
    start = f"import resource, sys; sys.path.append({str(ROOT)!r}); from tools.javascript_sandbox import confinement"
    program = f"""{start}
resource.setrlimit(resource.RLIMIT_DATA, (1 << 28, -1))
confinement._limit(resource.RLIMIT_DATA, confinement.MEMORY)
print(resource.getrlimit(resource.RLIMIT_DATA))"""
    done = subprocess.run([sys.executable, "-ISB", "-c", program], check=True, capture_output=True, timeout=PATIENCE)
    assert done.stdout.decode().strip() == f"({1 << 28}, {1 << 28})"
