"""Owners of things: does the process that made them still run?"""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec
import psutil
import pytest

from actors.processes import owner
from actors.processes.owner import Owner, this_process


def test_this_process_is_alive() -> None:
    """It is found by what it wrote down, also after a trip through JSON."""
    found = msgspec.json.decode(msgspec.json.encode(this_process()), type=Owner)
    assert found == this_process()
    assert found.is_alive()
    assert not found.is_gone()


def test_a_number_that_is_used_again_is_another_process() -> None:
    """The time of the start tells them apart."""
    again = msgspec.structs.replace(this_process(), started=this_process().started - 5)
    assert not again.is_alive()
    assert again.is_gone()


@pytest.mark.skipif(sys.platform != "linux", reason="ticks since the boot are Linux's")
class TestOnLinux:
    def test_a_clock_that_is_set_changes_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The start counts from the boot."""
        monkeypatch.setattr(psutil.Process, "create_time", lambda self: 0.0)
        assert this_process().is_alive()

    def test_a_process_of_another_boot_is_gone(self) -> None:
        """Its number and its start may be those of a process of today."""
        assert msgspec.structs.replace(this_process(), boot="earlier").is_gone()

    def test_a_process_of_another_container_is_not_known_to_be_gone(self) -> None:
        """Its number means something else here."""
        hidden = msgspec.structs.replace(this_process(), pid=2**30, namespace="pid:[1]")
        assert not hidden.is_gone()

    def test_a_dead_process_that_its_parent_has_not_taken_notice_of_is_gone(self) -> None:
        """It has a number, but does nothing any more."""
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
            before = owner._ticks(process.pid)
            assert before is not None
            process.kill()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            assert owner._ticks(process.pid) is None


@pytest.mark.parametrize("pid", [-1, 2**30, 2**70])
def test_an_impossible_number_is_no_process(pid: int) -> None:
    """A damaged file is no reason to fail."""
    assert Owner(pid, 1.0).is_gone()
