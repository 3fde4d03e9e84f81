"""A second machine on this one: a network namespace behind a bridge, whose cable can be pulled. Needs root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import pytest

NEAR, FAR = "198.18.77.1", "198.18.77.2"
"""Of the block for tests of networks (RFC 2544). One is this machine's, the other that of the namespace."""


@dataclass(frozen=True)
class FarMachine:
    """`name` is that of the namespace."""

    name: str
    cable: str

    def command(self, *command: str) -> list[str]:
        """As the command is started there."""
        return ["ip", "netns", "exec", self.name, *command]

    def pids(self) -> list[int]:
        listed = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, check=True, text=True)
        return [int(pid) for pid in listed.stdout.split()]

    def cut(self) -> None:
        """Pull the cable: no connection is closed, nothing arrives any more."""
        _ip("link", "set", self.cable, "down")

    def mend(self) -> None:
        _ip("link", "set", self.cable, "up")

    def kill_all(self) -> None:
        while pids := self.pids():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@contextmanager
def far_machine() -> Iterator[FarMachine]:
    """Skips the test, with a sentence, where namespaces are not permitted."""
    if shutil.which("ip") is None:
        pytest.skip("a network cannot be cut here: the program ip (iproute2) is not installed")
    suffix = f"{os.getpid() % 100_000}"
    machine = FarMachine(f"far{suffix}", f"cbl{suffix}")
    switch, there = f"swt{suffix}", f"eth{suffix}"
    try:
        _ip("netns", "add", machine.name)
        _ip("link", "add", switch, "type", "bridge")
        _ip("link", "add", machine.cable, "type", "veth", "peer", "name", there, "netns", machine.name)
        _ip("link", "set", machine.cable, "master", switch)
        _ip("address", "add", f"{NEAR}/30", "dev", switch)
        _ip("link", "set", switch, "up")
        _ip("link", "set", machine.cable, "up")
        _ip("-n", machine.name, "address", "add", f"{FAR}/30", "dev", there)
        _ip("-n", machine.name, "link", "set", "lo", "up")
        _ip("-n", machine.name, "link", "set", there, "up")
    except subprocess.CalledProcessError as error:
        _remove(machine, switch)
        pytest.skip(f"a network cannot be cut here: network namespaces are not permitted ({error.stderr.strip()})")
    try:
        yield machine
    finally:
        machine.kill_all()
        _remove(machine, switch)


def _remove(machine: FarMachine, switch: str) -> None:
    for command in (("link", "del", machine.cable), ("link", "del", switch), ("netns", "del", machine.name)):
        with suppress(subprocess.CalledProcessError):
            _ip(*command)


def _ip(*arguments: str) -> None:
    """Raises `subprocess.CalledProcessError`."""
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
