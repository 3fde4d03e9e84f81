"""Compiling a graph of sources: one unit for each group of files that one run takes, at the same time, cached."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from simulator.cache.store import Cache
from simulator.compile.cache_key import cache_key
from simulator.compile.diagnostics import CompilationFailed, Diagnostic
from simulator.compile.options import CompileOptions, CompilerSettings
from simulator.compile.solc.npm import OtherReleaseError
from simulator.compile.solc.providers import Compiler, CompilerChoice
from simulator.compile.solc.runner import Job, ProcessError, ProcessResult, Runner, run_jobs
from simulator.compile.solc.standard_json import decode_json, diagnostics_of, read_output, standard_input
from simulator.compile.solc.version import Version, format_version
from simulator.compile.sources.grouping import Group, group_by_version, subgroup
from simulator.compile.sources.imports import SourceGraph
from simulator.compile.sources.scan import declared_contracts, without_pragmas
from simulator.compile.toolchain import Toolchain
from simulator.errors import CompileError
from simulator.project import Unit

Progress = Callable[[str], None]
MAX_NEIGHBOURS = 3
MIN_SHARED_ROOTS = 16
"""From this many files on, those of one release are shared out to several runs."""


class CompilerInput(msgspec.Struct, frozen=True):
    """A standard-JSON input for one compiler, and the sources as they are on disk."""

    text: bytes
    sources: Mapping[str, str]
    compiler: Compiler
    evm_version: str | None


class CompilerRuns:
    """Finds compilers and runs them, or takes what they gave for the same input before. `say` hears in a sentence what
    is decided for the user, `progress` in a few words what takes time."""

    def __init__(
        self, options: CompileOptions, run: Runner, progress: Progress, say: Progress = lambda _: None
    ) -> None:
        self.choice = CompilerChoice(options, run, progress)
        self.cache: Cache[Unit] = Cache(options.cache / "compiled", Unit)
        self.policy = options.policy
        self.say = say
        self._options = options
        self._run = run
        self._progress = progress

    def cached(self, text: bytes, version: Version) -> Unit | None:
        """The unit that this release made of this standard-JSON input, if it is known."""
        return self.cache.get(_key(text, version)) if self._options.use_cache else None

    def unit(self, text: bytes, sources: dict[str, str], compiler: Compiler, evm_version: str | None) -> Unit:
        """Run a compiler over a standard-JSON input. Raises `CompilationFailed` and `CompileError`."""
        (found,) = self.units([CompilerInput(text, sources, compiler, evm_version)])
        if isinstance(found, CompileError):
            raise found
        return found

    def units(self, inputs: Sequence[CompilerInput]) -> list[Unit | CompileError]:
        """Compile inputs at the same time and return the units: a unit, or what is wrong."""
        return [self._unit(each, output) for each, output in zip(inputs, self.outputs(inputs), strict=True)]

    def _unit(self, given: CompilerInput, output: dict[str, Any] | CompileError) -> Unit | CompileError:
        if isinstance(output, CompileError):
            return output
        try:
            unit = read_output(output, given.sources, format_version(given.compiler.version), given.evm_version)
        except CompileError as error:
            return error
        # In the texts of sources, quotes are escaped: this can only be the setting.
        unit = msgspec.structs.replace(unit, via_ir=b'"viaIR":true' in given.text)
        self.cache.put(_key(given.text, given.compiler.version), unit)
        return unit

    def outputs(self, inputs: Sequence[CompilerInput]) -> list[dict[str, Any] | CompileError]:
        """The standard-JSON outputs of compilers, with errors or without."""
        folder = self._options.cache / "empty"
        folder.mkdir(parents=True, exist_ok=True)
        meter = _Meter(inputs, self._progress)
        jobs = [
            Job(
                each.compiler.command,
                each.text,
                folder,
                self._options.timeout,
                dict(os.environ) if each.compiler.is_named else None,
            )
            for each in inputs
        ]
        results = run_jobs(self._run, jobs, meter.ended) if jobs else []
        return [_decoded(each, result) for each, result in zip(inputs, results, strict=True)]


class _Meter:
    """Tells which part of the sources, by their size, is compiled."""

    def __init__(self, inputs: Sequence[CompilerInput], progress: Progress) -> None:
        self._sizes = [len(each.text) for each in inputs]
        self._done = 0
        self._progress = progress
        count = len({name for each in inputs for name in each.sources})
        names = ", ".join(dict.fromkeys(f"solc {format_version(each.compiler.version)}" for each in inputs))
        self._text = f"{count} {'file' if count == 1 else 'files'} with {names}"
        if inputs:
            self._tell()

    def ended(self, position: int) -> None:
        self._done += self._sizes[position]
        if self._done < sum(self._sizes):
            self._tell()

    def _tell(self) -> None:
        percent = f", {100 * self._done // sum(self._sizes)} %" if len(self._sizes) > 1 else ""
        self._progress(self._text + percent)


def _decoded(given: CompilerInput, result: ProcessResult | ProcessError) -> dict[str, Any] | CompileError:
    if isinstance(result, CompileError):
        return result
    name = f"solc {format_version(given.compiler.version)}"
    if not result.stdout.strip():
        reason = result.stderr.decode(errors="replace").strip()[-500:] or f"exit code {result.returncode}"
        return CompileError(f"{name} ended without output: {reason}")
    try:
        return decode_json(result.stdout, f"the output of {name}")
    except CompileError as error:
        return error


def _key(text: bytes, version: Version) -> str:
    return cache_key(text, format_version(version))


class Compiled(msgspec.Struct, frozen=True):
    """The units of all roots that compile, and what is wrong with each root that does not."""

    units: tuple[Unit, ...]
    faults: Mapping[str, tuple[Diagnostic, ...]]


def compile_graph(graph: SourceGraph, toolchain: Toolchain, runs: CompilerRuns) -> Compiled:
    """Compile every root of a graph with all that it imports. A root that does not compile stops no other. Raises
    `CompileError` when a compiler cannot be found or run."""
    return _GraphCompilation(graph, toolchain, runs).compiled()


def messages_on(graph: SourceGraph, toolchain: Toolchain, runs: CompilerRuns) -> Iterator[Diagnostic]:
    """All that compilers say of a graph, warnings too; they are run in any case. Raises as `compile_graph`, but not for
    sources that a compiler finds wrong."""
    grouping = group_by_version(graph, runs.choice.choose, toolchain)
    if grouping.faults:
        raise CompilationFailed(each for found in grouping.faults.values() for each in found)
    inputs = [_input_of(graph, group, *_available(group, runs)) for group in grouping.groups]
    for given, output in zip(inputs, runs.outputs(inputs), strict=True):
        if isinstance(output, CompileError):
            raise output
        yield from diagnostics_of(output, given.sources)


class _Attempt(msgspec.Struct, frozen=True):
    """A group to compile. After a refusal by the newest release: what that said, and older ones that are left."""

    group: Group
    said: tuple[Diagnostic, ...] = ()
    older: tuple[Version, ...] = ()


class _GraphCompilation:
    def __init__(self, graph: SourceGraph, toolchain: Toolchain, runs: CompilerRuns) -> None:
        self._graph = graph
        self._runs = runs
        self._grouping = group_by_version(graph, runs.choice.choose, toolchain)
        self._faults = dict(self._grouping.faults)
        self._units: list[Unit] = []
        self._toolchain = toolchain

    def compiled(self) -> Compiled:
        if unlisted := self._grouping.unlisted:
            listed = ", ".join(format_version(each.version) for each in self._toolchain.builds)
            place = self._toolchain.place
            self._runs.say(f"{_some(unlisted)}: no compiler of {place} ({listed}) fits; the pragmas choose")
        pending = [_Attempt(part) for group in self._grouping.groups for part in self._shares(group)]
        while pending:
            pending = [again for attempt, found in self._outcomes(pending) for again in self._settle(attempt, found)]
        return Compiled(distinct_units(self._units), self._faults)

    def _shares(self, group: Group) -> Iterator[Group]:
        """Parts of a large group, which are compiled at the same time."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        count = min(cores, len(group.roots) // (MIN_SHARED_ROOTS // 2))
        if len(group.roots) < MIN_SHARED_ROOTS or count < 2:
            yield group
            return
        size = -(-len(group.roots) // count)
        for start in range(0, len(group.roots), size):
            yield subgroup(self._graph, group, group.roots[start : start + size])

    def _outcomes(self, attempts: Sequence[_Attempt]) -> list[tuple[_Attempt, Unit | CompileError]]:
        """Return the outcomes of attempts: from the cache, or from compilers."""
        known: dict[int, Unit | CompileError] = {}
        inputs: dict[int, CompilerInput] = {}
        for position, attempt in enumerate(attempts):
            group = attempt.group
            text = _text_of(self._graph, group, group.version)
            if unit := self._runs.cached(text, group.version):
                known[position] = unit
                continue
            try:
                given = _input_of(self._graph, group, *_available(group, self._runs))
            except CompileError as error:
                if not attempt.said:
                    raise
                known[position] = error
                continue
            if unit := self._runs.cached(given.text, given.compiler.version):
                known[position] = unit
            else:
                inputs[position] = given
        known.update(zip(inputs, self._runs.units(list(inputs.values())), strict=True))
        return [(attempt, known[position]) for position, attempt in enumerate(attempts)]

    def _settle(self, attempt: _Attempt, found: Unit | CompileError) -> Iterator[_Attempt]:
        """Keep a unit, or divide a group that failed into what is tried next."""
        group = attempt.group
        if isinstance(found, Unit):
            if attempt.said:
                newest = "the newest release that their pragmas allow refuses them"
                version = format_version(group.version)
                self._runs.say(f"{_some(group.roots)}: compiled with solc {version}; {newest}; --solc-version decides")
            self._units.append(found)
            return
        if not isinstance(found, CompilationFailed) and not attempt.said:
            raise found
        diagnostics = attempt.said or (found.diagnostics if isinstance(found, CompilationFailed) else ())
        if attempt.said:
            yield from self._with_older(group, diagnostics, attempt.older)
            return
        culprits = self._culprits(group, diagnostics)
        if len(culprits) == len(group.roots) > 1 and not self._is_common(group, diagnostics):
            half = len(group.roots) // 2
            yield from (
                _Attempt(subgroup(self._graph, group, part)) for part in (group.roots[:half], group.roots[half:])
            )
            return
        if sound := [root for root in group.roots if root not in culprits]:
            yield _Attempt(subgroup(self._graph, group, sound))
        older = () if group.is_listed else self._runs.choice.older(group.ranges, group.version)
        yield from self._with_older(subgroup(self._graph, group, culprits), diagnostics, older)

    def _with_older(self, group: Group, said: tuple[Diagnostic, ...], older: tuple[Version, ...]) -> Iterator[_Attempt]:
        if older:
            yield _Attempt(msgspec.structs.replace(group, version=older[0]), said, older[1:])
        else:
            self._faults.update(dict.fromkeys(group.roots, said))

    def _culprits(self, group: Group, diagnostics: Sequence[Diagnostic]) -> list[str]:
        """The roots that need a file with an error; all of them when no file is known."""
        wrong = {each.file for each in diagnostics if each.severity == "error"}
        found = [root for root in group.roots if wrong & self._graph.closure(root)]
        return found or list(group.roots)

    def _is_common(self, group: Group, diagnostics: Sequence[Diagnostic]) -> bool:
        """Return whether every root needs a file with an error."""
        wrong = {each.file for each in diagnostics if each.severity == "error"}
        return all(wrong & self._graph.closure(root) for root in group.roots)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _text_of(graph: SourceGraph, group: Group, version: Version, *, is_other: bool = False) -> bytes:
    sources = {name: graph.units[name].content for name in group.units}
    if is_other:
        sources = {name: without_pragmas(content) for name, content in sources.items()}
    settings = _with_library_files(group.settings, sources)
    return standard_input(sources, settings, map(str, graph.remappings), version)


def _with_library_files(settings: CompilerSettings, sources: Mapping[str, str]) -> CompilerSettings:
    """The settings with the sources of libraries that are given by their names alone."""
    nameless = {name: address for name, address in settings.libraries.items() if ":" not in name}
    if not nameless:
        return settings
    found = {name: address for name, address in settings.libraries.items() if ":" in name}
    for path, content in sources.items():
        found.update({f"{path}:{name}": nameless[name] for name in declared_contracts(content) if name in nameless})
    return msgspec.structs.replace(settings, libraries=found)


def _input_of(graph: SourceGraph, group: Group, compiler: Compiler, is_other: bool) -> CompilerInput:
    sources = {name: graph.units[name].content for name in group.units}
    text = _text_of(graph, group, compiler.version, is_other=is_other)
    return CompilerInput(text, sources, compiler, group.settings.evm_version)


def _available(group: Group, runs: CompilerRuns) -> tuple[Compiler, bool]:
    """The compiler of the group's release, else, as without a network, one of this machine that fits as well. Where
    the release is nowhere to be had: a neighbouring one, and True: it has to read the sources without their pragmas."""
    try:
        return runs.choice.find(group.version), False
    except OtherReleaseError as error:
        return _neighbour(group, error, runs)
    except CompileError:
        local = [version for version in runs.choice.alternatives(group.ranges) if version != group.version]
        if not local:
            raise
        return runs.choice.find(local[0]), False


def compilers_of(graph: SourceGraph, toolchain: Toolchain, runs: CompilerRuns) -> tuple[tuple[Group, Compiler], ...]:
    """The groups of a graph, each with the compiler that takes it. Raises `CompileError`."""
    groups = group_by_version(graph, runs.choice.choose, toolchain).groups
    return tuple((group, _available(group, runs)[0]) for group in groups)


def _neighbour(group: Group, reason: OtherReleaseError, runs: CompilerRuns) -> tuple[Compiler, bool]:
    def fits_all(version: Version) -> bool:
        return runs.choice.is_free and all(each.allows(version) for each in group.ranges)

    nearest = sorted(runs.choice.neighbours(group.version)[:MAX_NEIGHBOURS], key=fits_all, reverse=True)
    for version in nearest:
        try:
            compiler = runs.choice.find(version)
        except CompileError:
            continue
        fits = fits_all(version)
        runs.say(
            f"{reason}: solc {format_version(version)} compiles{'' if fits else ', against the pragmas'}; "
            f"--solc PATH runs a {format_version(group.version)} of yours"
        )
        return compiler, not fits
    raise CompileError(f"no compiler for Solidity {format_version(group.version)}: {reason}")


def distinct_units(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """The units with each contract only where it comes first: a file that two units share is compiled in both."""
    seen: set[str] = set()
    found = []
    for unit in units:
        kept = tuple(contract for contract in unit.contracts if contract.full_name not in seen)
        seen.update(contract.full_name for contract in kept)
        found.append(msgspec.structs.replace(unit, contracts=kept))
    return tuple(found)
