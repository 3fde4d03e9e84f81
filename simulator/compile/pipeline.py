"""The whole way from paths to a `Project`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from simulator.compile.cache import Cache, cache_key
from simulator.compile.grouping import Group, group_by_version
from simulator.compile.imports import SearchPath, SourceGraph, load_sources
from simulator.compile.options import CompileOptions, CompilerSettings
from simulator.compile.providers import Compiler, CompilerChoice
from simulator.compile.remappings import parse_remapping, read_remappings, rooted
from simulator.compile.runner import Runner, run_process
from simulator.compile.solc_arguments import parse_solc_arguments
from simulator.compile.standard_json import decode_json, read_output, standard_input
from simulator.compile.targets import BuildInfoFiles, FoundryProject, SolidityFiles, classify_targets
from simulator.compile.version import Version, format_version
from simulator.errors import CompileError
from simulator.project import Contract, Project, Unit

Progress = Callable[[str], None]


def compile_targets(
    paths: Sequence[Path],
    options: CompileOptions,
    *,
    run: Runner = run_process,
    progress: Progress | None = None,
) -> Project:
    """Compile what a user points at; blocks until compilers have ended.

    `paths` are Solidity files and folders, one Foundry project, or build-info files. `progress` is told in a few words
    what takes time. Raises `CompilationFailed` with diagnostics when the sources are wrong, `CompileError` for
    everything else, and whatever `run` raises to cancel.
    """
    target = classify_targets(paths, options.root)
    tell = progress or (lambda _: None)
    match target:
        case SolidityFiles():
            return _SourceCompilation(options, run, tell).compile(target)
        case FoundryProject() | BuildInfoFiles():
            raise CompileError("unsupported target")


class _SourceCompilation:
    def __init__(self, options: CompileOptions, run: Runner, progress: Progress) -> None:
        self._options = options
        self._run = run
        self._progress = progress
        self._cache: Cache[Unit] = Cache(options.cache / "compiled", Unit)

    def compile(self, target: SolidityFiles) -> Project:
        arguments = parse_solc_arguments(self._options.solc_args, Path.cwd())
        root = arguments.base_path or target.root
        own = tuple(
            rooted(parse_remapping(text, "solc arguments"), root, root) for text in arguments.settings.remappings
        )
        listed = tuple(rooted(each, root, root) for each in read_remappings(root / "remappings.txt"))
        search = SearchPath(
            root=root, remappings=listed + own, include=arguments.include_paths, allowed=arguments.allow_paths
        )
        graph = load_sources(target.files, search)
        choice = CompilerChoice(self._options, self._run, self._progress)
        groups = group_by_version(graph, choice.choose)
        units = [self._unit(graph, group, arguments.settings, choice) for group in groups]
        return Project(str(root), distinct_units(units, [group.roots for group in groups]))

    def _unit(self, graph: SourceGraph, group: Group, settings: CompilerSettings, choice: CompilerChoice) -> Unit:
        compiler: Compiler | None = None
        version = group.version
        sources = {name: graph.units[name].content for name in group.units}
        if (unit := self._cached(graph, sources, settings, version)) is not None:
            return unit
        try:
            compiler = choice.find(version)
        except CompileError:
            local = [each for each in choice.alternatives(group.ranges) if each != version]
            if not local:
                raise
            compiler = choice.find(local[0])
            self._progress(
                f"solc {format_version(version)} is not to be had, taking {format_version(compiler.version)}"
            )
            if (unit := self._cached(graph, sources, settings, compiler.version)) is not None:
                return unit
        return self._compile(graph, sources, settings, compiler)

    def _input(
        self, graph: SourceGraph, sources: dict[str, str], settings: CompilerSettings, version: Version
    ) -> bytes:
        return standard_input(sources, settings, map(str, graph.remappings), version)

    def _cached(
        self, graph: SourceGraph, sources: dict[str, str], settings: CompilerSettings, version: Version
    ) -> Unit | None:
        if not self._options.use_cache:
            return None
        return self._cache.get(_key(self._input(graph, sources, settings, version), version))

    def _compile(
        self, graph: SourceGraph, sources: dict[str, str], settings: CompilerSettings, compiler: Compiler
    ) -> Unit:
        text = self._input(graph, sources, settings, compiler.version)
        self._progress(f"compiling {len(sources)} files with solc {format_version(compiler.version)}")
        unit = run_compiler(compiler, text, sources, settings.evm_version, self._options, self._run)
        self._cache.put(_key(text, compiler.version), unit)
        return unit


def _key(text: bytes, version: Version) -> str:
    return cache_key(text, format_version(version))


def run_compiler(
    compiler: Compiler,
    text: bytes,
    sources: dict[str, str],
    evm_version: str | None,
    options: CompileOptions,
    run: Runner,
) -> Unit:
    """One run of a compiler over a standard-JSON input."""
    folder = options.cache / "empty"
    folder.mkdir(parents=True, exist_ok=True)
    result = run(compiler.command, text, folder, options.timeout)
    name = f"solc {format_version(compiler.version)}"
    if not result.stdout.strip():
        reason = result.stderr.decode(errors="replace").strip()[-500:] or f"exit code {result.returncode}"
        raise CompileError(f"{name} ended without output: {reason}")
    return read_output(
        decode_json(result.stdout, f"the output of {name}"), sources, format_version(compiler.version), evm_version
    )


def distinct_units(units: Iterable[Unit], roots: Sequence[Sequence[str]]) -> tuple[Unit, ...]:
    """The units with each contract only once: where its file was asked for, else where it comes first."""
    listed = list(units)
    owner: dict[str, int] = {}
    for position, unit in enumerate(listed):
        for contract in unit.contracts:
            is_root = contract.path in roots[position]
            if is_root or contract.full_name not in owner:
                owner[contract.full_name] = position

    def kept(position: int, contracts: Iterable[Contract]) -> tuple[Contract, ...]:
        return tuple(contract for contract in contracts if owner[contract.full_name] == position)

    return tuple(
        Unit(unit.compiler, unit.evm_version, unit.sources, kept(position, unit.contracts))
        for position, unit in enumerate(listed)
    )
