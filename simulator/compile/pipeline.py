"""The whole way from paths to a `Project`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

import msgspec

from simulator.compile.diagnostics import CompilationFailed, Diagnostic, seen_from
from simulator.compile.options import CompileOptions, CompilerSettings
from simulator.compile.projects.build_info import compile_build_info
from simulator.compile.projects.foundry import build_with_forge, foundry_files, fresh_artifacts
from simulator.compile.projects.foundry_config import FoundryConfig, load_foundry_config
from simulator.compile.projects.targets import BuildInfoFiles, FoundryProject, SolidityFiles, classify_targets
from simulator.compile.solc.providers import Compiler
from simulator.compile.solc.runner import Runner, run_process
from simulator.compile.solc_arguments import SolcArguments, parse_solc_arguments
from simulator.compile.source_compilation import (
    CompilerRuns,
    Progress,
    available,
    compile_graph,
    messages_on,
)
from simulator.compile.sources.grouping import group_by_version
from simulator.compile.sources.imports import SearchPath, SourceGraph, load_sources
from simulator.compile.sources.remappings import in_root, read_remappings
from simulator.errors import CompileError
from simulator.policy import Policy, Request
from simulator.project import Project


def compile_targets(
    paths: Sequence[Path],
    options: CompileOptions,
    *,
    run: Runner = run_process,
    progress: Progress | None = None,
) -> Project:
    """Compile what a user points at; blocks until compilers have ended.

    `paths` are Solidity files and folders, one Foundry project, or build-info files. `progress` is told in a few words
    what takes time. Raises `CompilationFailed` with diagnostics, whose files are seen from the current folder, when the
    sources are wrong, `PolicyRefused` for what the policy does not allow, `CompileError` for everything else, and
    whatever `run` raises to cancel.
    """
    tell = progress or (lambda _: None)
    arguments = parse_solc_arguments(options.solc_args, Path.cwd(), options.policy)
    target = classify_targets(paths, options.root or arguments.base_path, options.policy)
    match target:
        case SolidityFiles(root, files):
            with _files_seen_from_here(root):
                return _compile_files(root, files, arguments, options, run, tell)
        case FoundryProject(root):
            with _files_seen_from_here(root):
                return _compile_foundry(root, arguments, options, run, tell)
        case BuildInfoFiles(files):
            return compile_build_info(files, CompilerRuns(options, run, tell))
        case _:
            assert_never(target)


def compiler_messages(
    paths: Sequence[Path], options: CompileOptions, *, run: Runner = run_process
) -> tuple[Diagnostic, ...]:
    """All that compilers say of Solidity files, warnings too, each message once, with files seen from the current
    folder. Blocks. Raises `CompileError` when there is no compiler to ask, and `PolicyRefused`."""
    arguments = parse_solc_arguments(options.solc_args, Path.cwd(), options.policy)
    target = classify_targets(paths, options.root or arguments.base_path, options.policy) if paths else None
    if not isinstance(target, SolidityFiles):
        raise CompileError("no Solidity files: name those to compile")
    try:
        found = tuple(messages_on(*_graph_of(target.root, target.files, arguments, options, run, lambda _: None)))
    except CompilationFailed as error:
        found = error.diagnostics
    return tuple(dict.fromkeys(seen_from(Path.cwd(), target.root, each) for each in found))


@dataclass(frozen=True)
class SourcePlan:
    """Files of a project with all that they import, and what they are compiled with."""

    root: Path
    graph: SourceGraph
    settings: CompilerSettings
    runs: CompilerRuns

    def compile(self) -> Project:
        """Raises as `compile_targets`."""
        return compile_graph(self.graph, self.settings, self.root, self.runs)

    def compilers(self) -> tuple[Compiler, ...]:
        """The compilers that take these files. Raises `CompileError`."""
        return tuple(
            available(group, self.runs.choice) for group in group_by_version(self.graph, self.runs.choice.choose)
        )


def plan_sources(
    root: Path,
    files: Sequence[Path],
    options: CompileOptions,
    *,
    run: Runner = run_process,
    progress: Progress | None = None,
) -> SourcePlan:
    """Read these Solidity files as part of the project in `root`, wherever they lie. Raises as `compile_targets`."""
    arguments = parse_solc_arguments(options.solc_args, Path.cwd(), options.policy)
    return SourcePlan(root, *_graph_of(root, files, arguments, options, run, progress or (lambda _: None)))


@contextmanager
def _files_seen_from_here(root: Path) -> Iterator[None]:
    try:
        yield
    except CompilationFailed as error:
        here = Path.cwd()
        raise CompilationFailed(seen_from(here, root, each) for each in error.diagnostics) from error


def _compile_files(
    root: Path,
    files: Sequence[Path],
    arguments: SolcArguments,
    options: CompileOptions,
    run: Runner,
    progress: Progress,
) -> Project:
    """Compile these files with what they import."""
    graph, settings, runs = _graph_of(root, files, arguments, options, run, progress)
    return compile_graph(graph, settings, root, runs)


def _graph_of(
    root: Path,
    files: Sequence[Path],
    arguments: SolcArguments,
    options: CompileOptions,
    run: Runner,
    progress: Progress,
) -> tuple[SourceGraph, CompilerSettings, CompilerRuns]:
    """What to compile, and with what. Settings come from the arguments, then from a `foundry.toml`."""
    foundry = load_foundry_config(root, policy=options.policy) if (root / "foundry.toml").is_file() else None
    if foundry:
        options = with_foundry_compiler(options, foundry)
    settings = arguments.settings.over(foundry.settings) if foundry else arguments.settings
    graph = load_sources(files, _search_path(root, arguments, foundry, options.policy))
    return graph, settings, CompilerRuns(options, run, progress)


def _compile_foundry(
    root: Path, arguments: SolcArguments, options: CompileOptions, run: Runner, progress: Progress
) -> Project:
    config = load_foundry_config(root, policy=options.policy)
    is_own = not (options.solc or options.solc_version or options.solc_args)
    if is_own:
        runs = CompilerRuns(with_foundry_compiler(options, config), run, progress)
        if found := fresh_artifacts(config, runs):
            return found
        if build_with_forge(config, options, run, progress) and (found := fresh_artifacts(config, runs)):
            return found
    return _compile_files(root, foundry_files(config), arguments, options, run, progress)


def with_foundry_compiler(options: CompileOptions, config: FoundryConfig) -> CompileOptions:
    """The options with the project's compiler where they name none. Raises `PolicyRefused`."""
    if options.solc or options.solc_version:
        return options
    if config.solc:
        options.policy.program(Request("solc", str(config.root / "foundry.toml")), config.solc)
    return msgspec.structs.replace(options, solc=config.solc, solc_version=config.solc_version)


def _search_path(root: Path, arguments: SolcArguments, foundry: FoundryConfig | None, policy: Policy) -> SearchPath:
    """A later remapping wins over an equal one, so those of the arguments come last."""
    listed = foundry.remappings if foundry else in_root(read_remappings(root / "remappings.txt", policy), root)
    search = SearchPath(
        root,
        remappings=listed + in_root(arguments.remappings, root),
        include=arguments.include_paths,
        allowed=arguments.allow_paths,
        policy=policy,
    )
    return msgspec.structs.replace(search, libraries=foundry.libraries) if foundry else search
