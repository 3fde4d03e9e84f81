"""Limits on address space are told in one sentence, before anything fails in its own way."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from simulator.limits import PROGRAM_BYTES, WORKER_BYTES, address_space_problem
from tests.support.patience import PATIENCE

_MACHINE = (
    "from simulator.evm.host import Host; from simulator.kernel_loader import load_kernel;"
    "from simulator.evm.machine import Machine;"
)
_BUILD = "Machine(load_kernel(), Host); print('built')"


def limited(program: list[str], limit: int, kind: int = resource.RLIMIT_AS) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *program],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
    )


def test_without_a_limit_there_is_no_problem() -> None:
    """Whatever is needed."""
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        assert address_space_problem(1 << 60, "a worker") == ""


def test_a_worker_fits_what_it_is_said_to_need() -> None:
    """With the shared memory that a supervisor gives it."""
    program = (
        "import mmap; from simulator.fuzz.sharing.shared_memory import SHARED_SIZE; kept = mmap.mmap(-1, SHARED_SIZE);"
    )
    result = limited(["-c", program + _MACHINE + _BUILD], WORKER_BYTES)
    assert result.stdout == "built\n", result.stderr


@pytest.mark.parametrize("megabytes", [100, 200, 400])
def test_the_program_says_what_it_lacks(megabytes: int) -> None:
    """In one line, with the exit code of a machine that fails."""
    result = limited(["-m", "orchestrator", "--version"], megabytes << 20)
    assert result.returncode == 3
    assert result.stderr.startswith(f"error: Monotreme needs {PROGRAM_BYTES >> 20} MB of address space")
    assert f"`ulimit -v` allows {megabytes} MB: raise it to {PROGRAM_BYTES >> 10} or more" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_limit_on_data_counts_as_well() -> None:
    """Reserved memory is data for the operating system."""
    result = limited(["-m", "orchestrator", "--version"], 100 << 20, resource.RLIMIT_DATA)
    assert result.returncode == 3
    assert "`ulimit -d` allows 100 MB" in result.stderr


@pytest.mark.parametrize("megabytes", [600, 2_000])
def test_a_campaign_says_what_its_workers_lack(megabytes: int, tmp_path: object) -> None:
    """Before one of them fails, and whether or not the target compiles."""
    result = limited(["-m", "orchestrator", "fuzz", "examples/token", "--contract", "TokenHarness"], megabytes << 20)
    assert result.returncode == 3
    assert f"a worker needs {WORKER_BYTES >> 20:,} MB of address space" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.count("error:") == 1
