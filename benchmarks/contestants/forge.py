"""forge's invariant runner on the same contracts: same compiler, same settings, one thread."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.contestants.targets import CONTRACTS, SEQUENCE_LENGTH, CompiledTarget
from benchmarks.measuring.errors import BenchmarkError
from simulator.compile import CompileOptions, run_process
from simulator.compile.solc.providers import Compiler, CompilerChoice

SOLC = (0, 8, 30)
TIMEOUT = 900.0
_UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+)\s*(ms|µs|ns|s|m|h)")
# forge asks for a native compiler; where only the npm build is there, this stands in for one.
_WRAPPER = """#!{python}
import os, sys
if "--version" in sys.argv:
    print("solc, the solidity compiler commandline interface\\nVersion: {version}")
else:
    command = {command!r}
    os.execv(command[0], command)
"""
_SETTINGS = """[profile.default]
src = "src"
test = "src"
libs = []
solc = "{solc}"
optimizer = false
evm_version = "{evm_version}"
offline = true

[invariant]
depth = {depth}
fail_on_revert = false
"""


@dataclass(frozen=True)
class ForgeRun:
    """Cost of one run of the invariants, by forge's own clock: set-up and runs, no compilation. `cpu` are the
    processor's seconds of the whole process."""

    calls: int
    reverts: int
    seconds: float
    cpu: float


def find_forge(given: str | None) -> Path | None:
    """The binary at a path, at `FORGE`, or on PATH. Raises `BenchmarkError` when a named one is not there."""
    named = given or os.environ.get("FORGE")
    if named:
        if not Path(named).is_file():
            raise BenchmarkError(f"no forge at {named}")
        return Path(named).resolve()
    found = shutil.which("forge")
    return Path(found) if found else None


class ForgeProject:
    """A Foundry project of the benchmark contracts in `folder`, compiled once."""

    def __init__(self, forge: Path, folder: Path, compiled: CompiledTarget) -> None:
        self._forge = forge
        self._folder = folder
        sources = folder / "src"
        shutil.copytree(CONTRACTS, sources)
        settings = _SETTINGS.format(solc=_native_solc(folder), evm_version=compiled.evm_version, depth=SEQUENCE_LENGTH)
        (folder / "foundry.toml").write_text(settings)
        self._run("build")
        self.version = self._run("--version").split("\n", 1)[0].removeprefix("forge ").removeprefix("Version: ")

    def fuzz(self, contract: str, calls: int, seed: int) -> ForgeRun:
        """Run a contract's invariants for about `calls` calls. Raises `BenchmarkError` when one fails."""
        before = _children_seconds()
        output = self._run(
            "test", "--json", "--threads", "1", "--match-contract", f"^{contract}$", "--fuzz-seed", str(seed),
            FOUNDRY_INVARIANT_RUNS=str(max(1, calls // SEQUENCE_LENGTH)),
        )  # fmt: skip
        cpu = _children_seconds() - before
        report: dict[str, Any] = msgspec.json.decode(output)
        (suite,) = report.values()
        (test,) = suite["test_results"].values()
        if test["status"] != "Success":
            raise BenchmarkError(f"forge: {contract} ended with {test['status']}: {test['reason']}")
        kind = test["kind"]["Invariant"]
        return ForgeRun(kind["calls"], kind["reverts"], parse_duration(suite["duration"]), cpu)

    def _run(self, *arguments: str, **variables: str) -> str:
        result = subprocess.run(
            [str(self._forge), *arguments], cwd=self._folder, env={**os.environ, **variables}, capture_output=True,
            text=True, timeout=TIMEOUT, check=False,
        )  # fmt: skip
        if result.returncode:
            raise BenchmarkError(f"forge {arguments[0]} failed: {(result.stderr or result.stdout).strip()[-500:]}")
        return result.stdout


def _children_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def parse_duration(text: str) -> float:
    """Seconds of forge's `1m 2s 345ms 6µs 7ns`."""
    return sum(int(amount) * _UNITS[unit] for amount, unit in _PART.findall(text))


def _native_solc(folder: Path) -> Path:
    compiler = CompilerChoice(CompileOptions(), run_process, lambda _: None).find(SOLC)
    if compiler.command[1:] == ("--standard-json",):
        return Path(compiler.command[0])
    return _write_wrapper(folder / "solc", compiler)


def _write_wrapper(path: Path, compiler: Compiler) -> Path:
    version = ".".join(map(str, compiler.version))
    path.write_text(_WRAPPER.format(python=sys.executable, version=version, command=list(compiler.command)))
    path.chmod(0o755)
    return path
