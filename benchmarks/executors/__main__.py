"""`python -m benchmarks.executors`: the same campaign as processes and on a Ray cluster of this machine, in turns."""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec
import psutil

from benchmarks.contestants.targets import TARGETS, Target
from benchmarks.contestants.whole_command import TIMEOUT, fuzz_command
from benchmarks.executors import sharing, supervisor
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.surroundings import describe
from benchmarks.measuring.tables import markdown_table, rate, write_between_markers

SIZES = "2,16,64,256,1000"
SHARING_SIZES = "2,16,64"
POLL = 0.2


@dataclass(frozen=True)
class Round:
    """Calls a second of fuzzing, and CPU seconds of what is above the workers for each second of the command."""

    rate: float
    overhead: float


@contextmanager
def ray_cluster(nodes: int, cores: int) -> Iterator[str]:
    """The address of a cluster, which ends with the block."""
    command = [sys.executable, "-m", "benchmarks.executors.cluster_program", str(nodes), str(cores)]
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        address = process.stdout.readline().strip()
        if not address:
            raise BenchmarkError("no cluster could be started")
        try:
            yield address
        finally:
            process.stdin.close()


def measure(target: Target, workers: int, calls: int, address: str | None) -> Round:
    """One campaign. Raises `BenchmarkError` unless it ends with exit code 0."""
    command = fuzz_command(target, workers=workers, seed=1, corpus=None, limit=("--test-limit", calls))
    if address:
        command += ["--executor", "ray", "--ray-address", address]
    began = time.monotonic()
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        above = _cpu_above_workers(process)
        output, errors = process.communicate(timeout=TIMEOUT)
    if process.returncode:
        raise BenchmarkError(f"{target.name} ended with {process.returncode}: {errors.decode(errors='replace')[-500:]}")
    campaign = msgspec.json.decode(output)["campaign"]
    return Round(campaign["calls"] / campaign["duration"], above / (time.monotonic() - began))


def _cpu_above_workers(process: subprocess.Popen[bytes]) -> float:
    """CPU seconds of the command and of the bridge, until the command ends."""
    found: dict[int, float] = {}
    root = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            for each in (root, *root.children()):
                if each == root or "actors.executors.ray_bridge" in each.cmdline():
                    times = each.cpu_times()
                    found[each.pid] = times.user + times.system
        except psutil.Error:
            pass
        time.sleep(POLL)
    return sum(found.values())


def table(rounds: list[tuple[Round, Round]]) -> list[str]:
    """Local and Ray beside each other, and the ratios of the rounds."""
    ratios = [ray.rate / local.rate for local, ray in rounds]
    rows = []
    for name, each in (("local", [local for local, _ in rounds]), ("ray", [ray for _, ray in rounds])):
        rates = statistics.median(one.rate for one in each)
        rows.append((name, rate(rates), f"{100 * statistics.median(one.overhead for one in each):.0f}%"))
    lines = markdown_table(("executor", "calls/s, median", "command and bridge, of a core"), rows)
    low, high = min(ratios), max(ratios)
    return [
        *lines,
        "",
        f"ray : local in the same round: median **{statistics.median(ratios):.3f}**, {low:.3f} to {high:.3f}.",
    ]


@click.command(help=__doc__)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1))
@click.option("--calls", default=40_000_000, show_default=True, type=click.IntRange(1), help="Calls of a campaign.")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1, 255))
@click.option("--nodes", default=2, show_default=True, type=click.IntRange(1, 16))
@click.option(
    "--supervisor",
    "sizes",
    is_flag=False,
    flag_value=SIZES,
    metavar="[N,N,...]",
    help=f"Measure the CPU above so many fake workers instead; without numbers {SIZES}.",
)
@click.option(
    "--sharing",
    "sharing_sizes",
    is_flag=False,
    flag_value=SHARING_SIZES,
    metavar="[N,N,...]",
    help="Measure how soon what one of so many fake workers found is with all others instead; without numbers"
    f" {SHARING_SIZES}.",
)
@click.option("--seconds", default=20.0, show_default=True, help="Time to watch each of them for.")
@click.option(
    "--write", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Page to put the result into."
)
def main(
    rounds: int,
    calls: int,
    workers: int,
    nodes: int,
    sizes: str | None,
    sharing_sizes: str | None,
    seconds: float,
    write: Path | None,
) -> None:
    if importlib.util.find_spec("ray") is None:
        raise click.ClickException("Ray is not installed: pip install 'monotreme[ray]'")
    try:
        if sharing_sizes is not None:
            name, lines = "executors --sharing", share(_numbers(sharing_sizes), nodes, seconds)
        elif sizes is None:
            name, lines = "executors", compare(rounds, calls, workers, nodes)
        else:
            name, lines = "executors --supervisor", supervise(_numbers(sizes), nodes, seconds)
        if write:
            write_between_markers(write, name, lines)
    except BenchmarkError as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(lines))


def _numbers(text: str) -> list[int]:
    numbers = [int(each) for each in text.split(",") if each.isdecimal()]
    if not numbers or not all(numbers):
        raise click.BadParameter(
            "expected numbers of workers, such as 2,16,64", param_hint="--supervisor and --sharing"
        )
    return numbers


def supervise(sizes: Sequence[int], nodes: int, seconds: float) -> list[str]:
    """What is above so many fake workers, as lines of Markdown. Raises `BenchmarkError`."""
    facts = describe(None)
    with tempfile.TemporaryDirectory(prefix="monotreme-benchmark-") as folder, ray_cluster(nodes, 1) as address:
        os.environ["RAY_AUTH_MODE"] = "disabled"
        recording, found = supervisor.measure(address, Path(folder), sizes, seconds)
    said = f"{nodes} nodes and all workers on this machine, {seconds:g} s each."
    return [*facts, "", said, "", *supervisor.table(recording, found)]


def share(sizes: Sequence[int], nodes: int, seconds: float) -> list[str]:
    """How soon sequences are with everybody, as lines of Markdown. Raises `BenchmarkError`."""
    facts = describe(None)
    with tempfile.TemporaryDirectory(prefix="monotreme-benchmark-") as folder, ray_cluster(nodes, 1) as address:
        os.environ["RAY_AUTH_MODE"] = "disabled"
        found = sharing.measure(address, Path(folder), sizes, seconds)
    said = f"{nodes} nodes and all workers on this machine, {seconds:g} s each, two sequences a second."
    return [*facts, "", said, "", *sharing.table(found)]


def compare(rounds: int, calls: int, workers: int, nodes: int) -> list[str]:
    """Local and Ray in turns, as lines of Markdown. Raises `BenchmarkError`."""
    facts = describe(None)
    found: list[tuple[Round, Round]] = []
    with ray_cluster(nodes, workers) as address:
        for number in range(rounds):
            sys.stderr.write(f"round {number + 1} of {rounds}\n")
            found.append((measure(TARGETS[0], workers, calls, None), measure(TARGETS[0], workers, calls, address)))
    sizes = f"{TARGETS[0].kind}, {calls:,} calls, {workers} workers, {nodes} nodes on this machine, {rounds} rounds."
    return [*facts, "", sizes, "", *table(found)]


if __name__ == "__main__":
    main()
