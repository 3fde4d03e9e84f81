"""Cost of open pages of the dashboard to a campaign: the share of a core that the program takes with none, one and ten.

    python -m benchmarks.dashboard_pages [SECONDS]

One campaign runs for all of it, and the cases alternate, so that only the differences count. A page is a stream of
updates that is read, as an idle page has it. Workers are processes of their own and are not counted.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median
from threading import Thread
from urllib.parse import urlsplit

import click
import psutil

ROOT = Path(__file__).resolve().parents[1]
TARGET = "examples/token"
CASES = (0, 1, 10)
ROUNDS = 3


def page(host: str, port: int) -> socket.socket:
    """Open a stream, which a thread reads until it is closed."""
    connection = socket.create_connection((host, port))
    connection.sendall(f"GET /api/stream HTTP/1.1\r\nhost: {host}:{port}\r\naccept: text/event-stream\r\n\r\n".encode())
    assert b" 200 " in connection.recv(1 << 16)

    def read() -> None:
        with suppress(OSError):
            while connection.recv(1 << 16):
                pass

    Thread(target=read, daemon=True).start()
    return connection


def share(process: psutil.Process, place: tuple[str, int], pages: int, seconds: float) -> float:
    """Cores that the program takes with so many pages."""
    with ExitStack() as opened:
        for _ in range(pages):
            opened.callback(page(*place).shutdown, socket.SHUT_RDWR)
        time.sleep(2)
        before, began = process.cpu_times(), time.monotonic()
        time.sleep(seconds)
        after, took = process.cpu_times(), time.monotonic() - began
    return (after.user + after.system - before.user - before.system) / took


@click.command()
@click.argument("seconds", default=30.0, type=click.FloatRange(1.0))
def main(seconds: float) -> None:
    """Print the program's share of a core without pages and with idle ones, each measured for SECONDS, in turns. The
    machine should do nothing else meanwhile."""
    budget = str(int((seconds + 10) * ROUNDS * len(CASES) * 3))
    flags = ["--timeout", budget, "--quiet", "--workers", "1", "--dashboard-port", "0", "--mcp-auth", "none"]
    found: defaultdict[int, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as corpus:
        line = [sys.executable, "-m", "orchestrator", "fuzz", TARGET, *flags, "--corpus-dir", corpus]
        with subprocess.Popen(line, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as running:
            assert running.stderr is not None
            try:
                url = next(each.split()[1] for each in running.stderr if each.startswith("dashboard: "))
                place = (urlsplit(url).hostname or "", urlsplit(url).port or 0)
                time.sleep(15)
                program = psutil.Process(running.pid)
                for _ in range(ROUNDS):
                    for pages in CASES:
                        found[pages].append(share(program, place, pages, seconds))
            finally:
                running.terminate()
    without = median(found[0])
    for pages in CASES:
        own = median(found[pages])
        click.echo(f"{pages:>2} pages: {own:.2%} of a core, {own - without:+.2%} against none")


if __name__ == "__main__":
    main()
