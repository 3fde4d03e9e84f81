"""The whole way from paths to a `Project`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import assert_never

import msgspec

from simulator.compile.diagnostics import CompilationFailed, Diagnostic, seen_from
from simulator.compile.options import CompileOptions
from simulator.compile.projects.artifacts import Artifacts, fresh_project
from simulator.compile.projects.build_info import compile_build_info
from simulator.compile.projects.layout import Layout, layout_of, names_of
from simulator.compile.projects.project_tools import build_with_forge, build_with_hardhat
from simulator.compile.projects.selection import deployable
from simulator.compile.projects.targets import (
    BuildInfoFiles,
    FoundryProject,
    ScriptProject,
    SolidityFiles,
    VyperFiles,
    classify_targets,
    solidity_files,
)
from simulator.compile.projects.wanted import SourceDeclarations
from simulator.compile.solc.runner import Runner, run_process
from simulator.compile.solc_arguments import parse_solc_arguments
from simulator.compile.source_compilation import Compiled, CompilerRuns, Progress, compile_graph, messages_on
from simulator.compile.sources.imports import SourceGraph, load_sources
from simulator.compile.vyper.compilation import compile_vyper
from simulator.errors import CompileError
from simulator.project import Project

_MAX_SHOWN = 5


def compile_targets(
    paths: Sequence[Path],
    options: CompileOptions,
    *,
    run: Runner = run_process,
    progress: Progress | None = None,
    say: Progress | None = None,
) -> Project:
    """Compile what a user points at; blocks until compilers have ended.

    `paths` are Solidity files and folders, one project, or build-info files. A source that does not compile stops
    nothing that does not need it, unless it was named itself. `progress` is told in a few words what takes time, `say`
    in a sentence what was decided or left out. Raises `CompilationFailed` with diagnostics, whose files are seen from
    the current folder, when the sources are wrong, `TargetError` when no source declares a contract of the options,
    `PolicyRefused` for what the policy does not allow, `CompileError` for everything else, and whatever `run` raises to
    cancel.
    """
    tell, note = progress or _nobody, say or _nobody
    arguments = parse_solc_arguments(options.solc_args, Path.cwd(), options.policy)
    target = classify_targets(paths, options.root or arguments.base_path, options.policy)
    match target:
        case SolidityFiles(root, files, named):
            pass
        case FoundryProject(root) | ScriptProject(root):
            files, named = (), frozenset()
        case VyperFiles(root, files):
            with _files_seen_from_here(root):
                return compile_vyper(root, files, options, run, tell)
        case BuildInfoFiles(recorded):
            return compile_build_info(recorded, CompilerRuns(options, run, tell, note))
        case _:
            assert_never(target)
    with _files_seen_from_here(root):
        layout = layout_of(root, files, named, arguments, options)
        return _Compilation(layout, run, tell, note, is_project=not files).project()


def _nobody(_: str) -> None:
    pass


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
        layout = layout_of(target.root, target.files, target.named, arguments, options)
        graph = load_sources(layout.files, layout.search)
        found = tuple(messages_on(graph, layout.toolchain, CompilerRuns(layout.options, run, _nobody)))
    except CompilationFailed as error:
        found = error.diagnostics
    return tuple(dict.fromkeys(seen_from(Path.cwd(), target.root, each) for each in found))


@contextmanager
def _files_seen_from_here(root: Path) -> Iterator[None]:
    try:
        yield
    except CompilationFailed as error:
        here = Path.cwd()
        raise CompilationFailed(seen_from(here, root, each) for each in error.diagnostics) from error


class _Compilation:
    """One compilation of a layout. `is_project`: the user named the project, not files of it."""

    def __init__(self, layout: Layout, run: Runner, tell: Progress, say: Progress, *, is_project: bool) -> None:
        self._layout = layout
        self._run = run
        self._tell = tell
        self._say = say
        self._is_project = is_project
        self._runs = CompilerRuns(layout.options, run, tell, say)

    def project(self) -> Project:
        files = self._wanted_files()
        found = self._recorded(files) if self._is_project else None
        return found or self._compiled(files)

    # --- which files -------------------------------------------------------------------------------------------------

    def _wanted_files(self) -> tuple[Path, ...]:
        """The files that declare the contracts of the options, else all of them."""
        layout = self._layout
        if not layout.options.contracts:
            return layout.files
        declared = SourceDeclarations(layout.files, layout.root, layout.options.policy)
        found = [declared.files_of(name) for name in layout.options.contracts]
        if all(found):
            return declared.with_artifacts(dict.fromkeys(file for files in found for file in files))
        return self._files_among_imports(declared)

    def _files_among_imports(self, declared: SourceDeclarations) -> tuple[Path, ...]:
        """The files with a contract that another file of the project, or only an import, declares. Raises `TargetError`
        when none does."""
        layout = self._layout
        if self._is_project:
            everywhere = SourceDeclarations(tuple(solidity_files(layout.root)), layout.root, layout.options.policy)
            found = [everywhere.files_of(name) for name in layout.options.contracts]
            if all(found):
                return everywhere.with_artifacts(dict.fromkeys(file for files in found for file in files))
        graph = load_sources(layout.files, layout.search, is_tolerant=True)
        imported = SourceDeclarations([layout.root / name for name in graph.units], layout.root, layout.options.policy)
        for name in layout.options.contracts[:1]:
            if not imported.files_of(name):
                if graph.faults and not declared.files_of(name):
                    self._warn_of_faults(graph)
                raise declared.unknown(name)
        files = [file for name in layout.options.contracts for file in imported.files_of(name)]
        return imported.with_artifacts(dict.fromkeys(files))

    def _warn_of_faults(self, graph: SourceGraph) -> None:
        raise CompilationFailed(graph.faults)

    # --- what other tools made ---------------------------------------------------------------------------------------

    def _recorded(self, files: tuple[Path, ...]) -> Project | None:
        """The project as forge or Hardhat compiled it, or compile it now."""
        layout, options = self._layout, self._layout.options
        if self._names_a_compiler() or not (artifacts := self._artifacts()):
            return None
        names = names_of(files, layout.root)
        if found := fresh_project(artifacts, names, self._runs):
            return self._with_named(found, names)
        if layout.foundry:
            some = files if options.contracts else ()
            is_built = build_with_forge(layout.foundry, some, options, self._run, self._tell, self._say)
        else:
            assert layout.script is not None
            is_built = build_with_hardhat(layout.script, options, self._run, self._tell, self._say)
        found = fresh_project(artifacts, names, self._runs) if is_built else None
        return self._with_named(found, names) if found else None

    def _names_a_compiler(self) -> bool:
        """Return whether the caller says how to compile, so that artifacts may have been made in another way."""
        options, foundry = self._layout.options, self._layout.foundry
        own = (foundry.solc, foundry.solc_version) if foundry else (None, None)
        return bool(options.solc_args or (options.solc, options.solc_version) != own)

    def _artifacts(self) -> Artifacts | None:
        layout = self._layout
        if layout.foundry:
            folder = layout.root / layout.foundry.out / "build-info"
        elif layout.script and layout.script.kind == "Hardhat":
            folder = layout.root / layout.script.artifacts / "build-info"
        else:
            return None
        return Artifacts(layout.root, folder, layout.settings_files())

    def _with_named(self, project: Project, names: frozenset[str]) -> Project:
        held = {source.path for unit in project.units for source in unit.sources}
        own = {path for path in held if path in names or path.removeprefix("project/") in names}
        return msgspec.structs.replace(project, named_sources=tuple(sorted(own)))

    # --- compiling ---------------------------------------------------------------------------------------------------

    def _compiled(self, files: tuple[Path, ...]) -> Project:
        layout = self._layout
        if layout.script and layout.script.unread:
            place, parts = layout.script.file.name, ", ".join(layout.script.unread[:_MAX_SHOWN])
            self._say(f"{place}: not read, as only running it tells: {parts}; --solc-version and --solc-args say it")
        graph = load_sources(files, layout.search, is_tolerant=True)
        compiled = compile_graph(graph, layout.toolchain, self._runs)
        project = Project.in_folder(layout.root, compiled.units, graph.roots)
        self._report(compiled, project, graph)
        return project

    def _report(self, compiled: Compiled, project: Project, graph: SourceGraph) -> None:
        """Say which sources were left out. Raises `CompilationFailed` where one of them is needed."""
        faults = compiled.faults
        if not faults:
            return
        named = {name for name in faults if self._layout.root / name in self._layout.named}
        if named or not deployable(project) or len(faults) == len(graph.roots):
            raise CompilationFailed(_distinct(faults))
        self._say(f"left out, since they do not compile: {_shown(faults)}")


def _distinct(faults: Mapping[str, tuple[Diagnostic, ...]]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(each for found in faults.values() for each in found))


def _shown(faults: Mapping[str, tuple[Diagnostic, ...]]) -> str:
    """The files with their first errors, in one line."""
    parts = []
    for name, found in list(faults.items())[:_MAX_SHOWN]:
        first = next((each for each in found if each.severity == "error"), None)
        if first is None:
            parts.append(name)
            continue
        place = f"line {first.line}" if first.file == name else f"{first.file}:{first.line}"
        parts.append(f"{name} ({place}: {first.message.splitlines()[0][:80]})")
    more = f" and {len(faults) - _MAX_SHOWN} more" if len(faults) > _MAX_SHOWN else ""
    return ", ".join(parts) + more
