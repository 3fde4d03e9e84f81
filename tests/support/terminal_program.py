"""A campaign with fake workers on a terminal of its own, whose keys are pressed and whose picture is read."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.patience import PATIENCE, wait_for

PROGRAM = Path(__file__).parent / "campaign_program.py"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LOCAL_MODES = 3


class Terminal:
    """The near end of a terminal. `raw` is all that was written to it, `text` the same without escapes."""

    def __init__(self, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
        self.near, self.far = pty.openpty()
        self.resize(30, 100)
        self.before = termios.tcgetattr(self.far)
        self._written = bytearray()
        script = {"seconds_per_frame": 0.002}
        command = [sys.executable, str(PROGRAM), json.dumps(script), "--timeout", "3600", *arguments]
        variables = {**os.environ, "TERM": "xterm-256color", **environment}
        for name in () if "NO_COLOR" in environment else ("NO_COLOR",):
            variables.pop(name, None)
        self.process = subprocess.Popen(
            command,
            stdin=self.far,
            stdout=subprocess.PIPE,
            stderr=self.far,
            env=variables,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.output = b""

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.near, 65_536)
            except OSError:
                # Nobody holds the far end any more.
                return
            self._written += data

    @property
    def raw(self) -> str:
        return self._written.decode(errors="replace")

    def text(self, start: int = 0) -> str:
        return ESCAPES.sub("", self.raw[start:])

    def press(self, keys: str) -> None:
        os.write(self.near, keys.encode())

    def press_and_see(self, keys: str, *shown: str) -> None:
        """Press keys, and wait until all of these texts were drawn after that."""
        start = len(self.raw)
        self.press(keys)
        self.see(*shown, start=start)

    def see(self, *shown: str, start: int = 0) -> None:
        def is_there() -> bool:
            assert self.process.poll() is None, self.text()[-2000:]
            text = self.text(start)
            return all(each in text for each in shown)

        wait_for(is_there, f"on the terminal: {shown}")

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def modes(self) -> list[Any]:
        return termios.tcgetattr(self.far)

    @property
    def takes_keys(self) -> bool:
        return not self.modes[LOCAL_MODES] & (termios.ICANON | termios.ECHO)

    def end(self) -> int:
        """Wait for the end; the report is in `output`."""
        self.output, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode


@contextmanager
def campaign_on_terminal(*arguments: str, **environment: str) -> Iterator[Terminal]:
    """A campaign that runs until it is stopped, once its picture is there."""
    terminal = Terminal(arguments, environment)
    try:
        terminal.see("calls/s", "tests")
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait()
        assert terminal.process.stdout is not None
        terminal.process.stdout.close()
        os.close(terminal.far)
        os.close(terminal.near)
