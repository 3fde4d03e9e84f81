"""Makes live_view.svg: the command runs in a terminal of its own, and one of its pictures is kept.

.venv/bin/python docs/images/make_live_view.py [SECONDS]
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).with_name("live_view.svg")
TARGET = "examples/state_machine"
ROWS, COLUMNS = 30, 96
# What rich sends before it draws a picture over the last one.
REDRAW = re.compile(r"(?:\r|\x1b\[2K|\x1b\[1A)+")
# A picture in a README cannot fetch fonts; the reader's own monospaced one serves.
REMOTE_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def watch(seconds: int) -> str:
    """Run the campaign on a terminal and return everything that it wrote there."""
    terminal, other_end = pty.openpty()
    fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "orchestrator", "fuzz", TARGET, "--seed", "1", "--timeout", str(seconds)]
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=other_end, stdout=subprocess.PIPE, stderr=other_end
    ) as process:
        os.close(other_end)
        written = b"".join(iter(lambda: read(terminal), b""))
        process.communicate()
    os.close(terminal)
    return written.decode()


def read(terminal: int) -> bytes:
    """The next bytes, or none when nobody holds the other end any more, which Linux reports as an error."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError as error:
        if error.errno == errno.EIO:
            return b""
        raise


def pictures(written: str) -> list[str]:
    """The whole pictures, first to last."""
    normal = written.replace("\r\n", "\n")
    return [part for part in REDRAW.split(normal) if part.startswith("\x1b") and "╭" in part and "╰" in part]


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    shown = [picture for picture in pictures(watch(seconds)) if "fuzzing" in picture]
    # The last of them is drawn when workers have stopped already.
    text = Text.from_ansi(shown[-8].rstrip("\n"))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(text)
    picture = REMOTE_FONT.sub("", console.export_svg(title=f"monotreme fuzz {TARGET}"))
    PICTURE.write_text(picture.replace("Fira Code, monospace", "monospace"))


if __name__ == "__main__":
    main()
