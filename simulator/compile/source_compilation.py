"""Compiling a graph of sources: one unit for each group of files that one release takes, cached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from simulator.cache.store import Cache
from simulator.compile.cache_key import cache_key
from simulator.compile.diagnostics import Diagnostic
from simulator.compile.options import CompileOptions, CompilerSettings
from simulator.compile.solc.providers import Compiler, CompilerChoice
from simulator.compile.solc.runner import Runner
from simulator.compile.solc.standard_json import decode_json, diagnostics_of, read_output, standard_input
from simulator.compile.solc.version import Version, format_version
from simulator.compile.sources.grouping import Group, group_by_version
from simulator.compile.sources.imports import SourceGraph
from simulator.errors import CompileError
from simulator.project import Project, Unit

Progress = Callable[[str], None]


class CompilerRuns:
    """Finds compilers and runs them, or takes what they gave for the same input before."""

    def __init__(self, options: CompileOptions, run: Runner, progress: Progress) -> None:
        self.choice = CompilerChoice(options, run, progress)
        self.cache: Cache[Unit] = Cache(options.cache / "compiled", Unit)
        self.policy = options.policy
        self._options = options
        self._run = run
        self._progress = progress

    def cached(self, text: bytes, version: Version) -> Unit | None:
        """The unit that this release made of this standard-JSON input, if it is known."""
        return self.cache.get(_key(text, version)) if self._options.use_cache else None

    def unit(self, text: bytes, sources: dict[str, str], compiler: Compiler, evm_version: str | None) -> Unit:
        """Run a compiler over a standard-JSON input. Raises `CompilationFailed` and `CompileError`."""
        output = self.output(text, sources, compiler)
        unit = read_output(output, sources, format_version(compiler.version), evm_version)
        self.cache.put(_key(text, compiler.version), unit)
        return unit

    def output(self, text: bytes, sources: dict[str, str], compiler: Compiler) -> dict[str, Any]:
        """The standard-JSON output of a compiler, with errors or without. Raises `CompileError`."""
        name = f"solc {format_version(compiler.version)}"
        self._progress(f"compiling {len(sources)} {'file' if len(sources) == 1 else 'files'} with {name}")
        folder = self._options.cache / "empty"
        folder.mkdir(parents=True, exist_ok=True)
        result = self._run(compiler.command, text, folder, self._options.timeout)
        if not result.stdout.strip():
            reason = result.stderr.decode(errors="replace").strip()[-500:] or f"exit code {result.returncode}"
            raise CompileError(f"{name} ended without output: {reason}")
        return decode_json(result.stdout, f"the output of {name}")


def _key(text: bytes, version: Version) -> str:
    return cache_key(text, format_version(version))


def compile_graph(graph: SourceGraph, settings: CompilerSettings, root: Path, runs: CompilerRuns) -> Project:
    """Compile every root of a graph with all that it imports."""
    groups = group_by_version(graph, runs.choice.choose)
    return Project.in_folder(root, distinct_units(_compile_group(graph, group, settings, runs) for group in groups))


def messages_on(graph: SourceGraph, settings: CompilerSettings, runs: CompilerRuns) -> Iterator[Diagnostic]:
    """All that compilers say of a graph, warnings too; they are run in any case. Raises as `compile_graph`, but not for
    sources that a compiler finds wrong."""
    for group in group_by_version(graph, runs.choice.choose):
        sources = {name: graph.units[name].content for name in group.units}
        compiler = available(group, runs.choice)
        text = standard_input(sources, settings, map(str, graph.remappings), compiler.version)
        yield from diagnostics_of(runs.output(text, sources, compiler), sources)


def _compile_group(graph: SourceGraph, group: Group, settings: CompilerSettings, runs: CompilerRuns) -> Unit:
    sources = {name: graph.units[name].content for name in group.units}

    def text_for(version: Version) -> bytes:
        return standard_input(sources, settings, map(str, graph.remappings), version)

    if unit := runs.cached(text_for(group.version), group.version):
        return unit
    compiler = available(group, runs.choice)
    text = text_for(compiler.version)
    return runs.cached(text, compiler.version) or runs.unit(text, sources, compiler, settings.evm_version)


def available(group: Group, choice: CompilerChoice) -> Compiler:
    """The compiler of the group's release, else, as without a network, one of this machine that fits as well."""
    try:
        return choice.find(group.version)
    except CompileError:
        local = [version for version in choice.alternatives(group.ranges) if version != group.version]
        if not local:
            raise
        return choice.find(local[0])


def distinct_units(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """The units with each contract only where it comes first: a file that two units share is compiled in both."""
    seen: set[str] = set()
    found = []
    for unit in units:
        kept = tuple(contract for contract in unit.contracts if contract.full_name not in seen)
        seen.update(contract.full_name for contract in kept)
        found.append(msgspec.structs.replace(unit, contracts=kept))
    return tuple(found)
