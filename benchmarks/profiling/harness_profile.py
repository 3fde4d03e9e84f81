"""Profile of any harness: by what the program does, and by the instructions that its contracts execute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.contestants.harness import Harness, HarnessCampaign, HarnessSpent, compile_harness
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.surroundings import ForeignLoad
from benchmarks.measuring.tables import markdown_table
from benchmarks.profiling import sampling
from benchmarks.profiling.instruction_mix import Mix, executed, executions
from benchmarks.profiling.stopwatch import Place, Stopwatch
from simulator.evm.host import Host
from simulator.evm.kernel import status
from simulator.evm.machine import Machine
from simulator.fuzz.corpus.native_corpus import NativeCorpus, RecordWriter
from simulator.fuzz.feedback.measuring import Measurer
from simulator.fuzz.feedback.trimming import Trimmer
from simulator.fuzz.generation.call_templates import FunctionTable
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.worker.session import Session
from simulator.worker.telemetry import Telemetry

REST = "Python: booking, batches, whatever has no row"
LOOP = "native: generation, execution, coverage, oracles"
PLACES_IN_LOOP = 12
_EXITS = {
    status.EXIT_PRECOMPILE: "exit: precompiles",
    status.EXIT_CHEATCODE: "exit: cheatcodes",
    status.EXIT_CONSOLE: "exit: console",
    status.EXIT_UNKNOWN_CODE: "exit: codes seen for the first time",
    status.EXIT_ARENA_FULL: "exit: room for accounts and storage",
    status.EXIT_TRACE_CALL: "exit: frames that cheatcodes watch",
    status.EXIT_TRACE_RETURN: "exit: frames that cheatcodes watch",
}


def _exit(host: Any) -> str:
    return _EXITS[host._machine.context.exit_reason]


PLACES: tuple[Place, ...] = (
    (FuzzEngine, "fuzz", LOOP),
    (Host, "serve", _exit),
    (Trimmer, "trim", "trimming"),
    (Measurer, "measure", "measuring what a sequence covers alone"),
    (Session, "_solve", "solving comparisons"),
    (Session, "shrink", "shrinking"),
    (RecordWriter, "pack", "ABI: templates of corpus entries"),
    (RecordWriter, "pack_plain", "records of given sequences"),
    (FunctionTable, "renew_templates", "ABI: templates of calls"),
    (NativeCorpus, "add", "corpus table"),
    (Machine, "recycle", "recycling storage"),
    (Telemetry, "beat", "telemetry"),
)
"""The first function on the stack that stands here gets the time: what trimming executes is trimming's."""


def profile_harness(harness: Harness, folder: Path, calls: int, seed: int, seconds: float) -> list[str]:
    """Warm up with as many calls, then measure. Raises `BenchmarkError` and `SimulatorError`."""
    compiled = compile_harness(harness, folder)
    campaign = HarnessCampaign(compiled, seed)
    campaign.fuzz(calls)
    if campaign.worker.hot_codes is not None:
        campaign.worker.hot_codes.wait()
    engine, machine = campaign.worker.engine, campaign.worker.machine
    plain = campaign.fuzz(calls)
    before, watch, load = executions(machine), Stopwatch(REST), ForeignLoad()
    gas, reverted, began = engine.gas, engine.reverted, engine.calls
    with watch.watching(PLACES):
        spent = campaign.fuzz(calls)
    mix = executed(machine, before, spent.calls)
    lines = [
        f"### {compiled.target.name}",
        "",
        f"Contracts deployed: {campaign.contracts}, functions: {len(engine.targets)}, "
        f"tests: {len(campaign.worker.oracles)}, of which {campaign.decided} fail as deployed. Seed {seed}; measured "
        f"are {calls:,} calls behind the first {2 * calls:,}. The rates are those of the {calls:,} before them.",
        "",
        *rate_table(plain, (engine.gas - gas) / spent.calls, (engine.reverted - reverted) / (engine.calls - began)),
        "",
        *concern_table(watch, spent),
        "",
        *executed_table(mix),
        *load.warning(),
    ]
    return [*lines, "", *_sampled(campaign, max(1000, calls // 10), seconds)]


def _sampled(campaign: HarnessCampaign, calls: int, seconds: float) -> list[str]:
    """Return the samples of native code, or why there are none."""
    try:
        shares = sampling.sample(campaign.worker.machine.kernel, lambda: campaign.fuzz(calls), seconds)
    except BenchmarkError as error:
        return [f"Not sampled: {error}."]
    return native_table(shares)


def rate_table(spent: HarnessSpent, gas: float, reverted: float) -> list[str]:
    rows = (
        ("calls/s by the clock", f"{spent.calls / spent.seconds:,.0f}"),
        ("calls/s of processor time", f"{spent.calls / spent.cpu:,.0f}"),
        ("gas of a call, property calls not among them", f"{gas:,.0f}"),
        ("calls that revert", f"{100 * reverted:.0f}%"),
        ("failures shrunk", f"{spent.shrunk}"),
    )
    return markdown_table(("campaign", ""), rows)


def concern_table(watch: Stopwatch, spent: HarnessSpent) -> list[str]:
    whole = sum(watch.seconds.values()) or 1.0
    rows = (
        (name, f"{100 * own / whole:.1f}%", f"{1e9 * own / spent.calls:,.0f}", f"{watch.times[name] or ''}")
        for name, own in sorted(watch.seconds.items(), key=lambda item: -item[1])
    )
    return markdown_table(("processor time", "share", "ns a call", "times"), rows)


def executed_table(mix: Mix) -> list[str]:
    """Everything that was executed meanwhile: calls, properties, trimming, shrinking."""
    whole = mix.instructions or 1
    rows = [
        (name, f"{count / mix.calls:.1f}", f"{100 * count / whole:.1f}%") for name, count in mix.groups.most_common()
    ]
    rows.append((f"all, in {mix.blocks / mix.calls:.0f} blocks", f"{whole / mix.calls:.0f}", ""))
    return markdown_table(("instructions for a call, with its properties", "number", "share"), rows)


def native_table(shares: dict[str, float]) -> list[str]:
    def rows() -> Iterator[tuple[str, str]]:
        for name, share in shares.items():
            yield name, f"{100 * share:.1f}%"

    return markdown_table(("by samples (perf)", "share"), rows())
