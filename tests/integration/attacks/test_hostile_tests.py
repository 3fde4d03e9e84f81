"""Tests of a project that are written against the process that executes them for their calls."""

from __future__ import annotations

import subprocess

from simulator.own_process import module_command
from simulator.seeding.memory_watch import OVER_MEMORY
from tests.support.patience import PATIENCE

PROGRAM = """
from time import sleep
from simulator.seeding.memory_watch import watch_memory
watch_memory({most})
taken = bytearray(b"x" * {taken})
sleep({seconds})
"""


def executed(most: int, taken: int, seconds: float) -> subprocess.CompletedProcess[str]:
    command = [*module_command("simulator")[:2], "-c", PROGRAM.format(most=most, taken=taken, seconds=seconds)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_the_process_of_tests_ends_when_they_take_too_much_memory():
    """With a reason; the campaign begins without their seeds."""
    ended = executed(200 << 20, 300 << 20, 10 * PATIENCE)
    assert (ended.returncode, ended.stderr) == (OVER_MEMORY, "they take over 200 MiB of memory\n")


def test_tests_that_take_less_are_left_alone():
    assert executed(1 << 30, 1 << 20, 0).returncode == 0
