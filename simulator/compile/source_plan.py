"""Files that belong to a project wherever they lie: what they need, what compiles them, and their compilation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from simulator.compile.diagnostics import CompilationFailed
from simulator.compile.options import CompileOptions, CompilerSettings
from simulator.compile.projects.layout import layout_of
from simulator.compile.solc.providers import Compiler
from simulator.compile.solc.runner import Runner, run_process
from simulator.compile.solc_arguments import parse_solc_arguments
from simulator.compile.source_compilation import CompilerRuns, Progress, compile_graph, compilers_of
from simulator.compile.sources.grouping import Group
from simulator.compile.sources.imports import SourceGraph, load_sources
from simulator.compile.toolchain import Toolchain
from simulator.project import Project


@dataclass(frozen=True)
class SourcePlan:
    """Files of a project with all that they import, and what they are compiled with."""

    root: Path
    graph: SourceGraph
    toolchain: Toolchain
    runs: CompilerRuns

    @property
    def settings(self) -> CompilerSettings:
        """The settings of the first group of files that one compiler takes. Raises `CompileError`."""
        return next((group.settings for group, _ in self._compilers), self.toolchain.settings)

    def under(self, settings: CompilerSettings) -> SourcePlan:
        """The same with settings that win over the project's."""
        return replace(self, toolchain=self.toolchain.under(settings))

    def compile(self) -> Project:
        """Raises as `compile_targets`."""
        compiled = compile_graph(self.graph, self.toolchain, self.runs)
        if compiled.faults:
            raise CompilationFailed(each for found in compiled.faults.values() for each in found)
        return Project.in_folder(self.root, compiled.units, self.graph.roots)

    def compilers(self) -> tuple[Compiler, ...]:
        """The compilers that take these files. Raises `CompileError`."""
        return tuple(compiler for _, compiler in self._compilers)

    @cached_property
    def _compilers(self) -> tuple[tuple[Group, Compiler], ...]:
        """Found once: looking for a compiler may fetch one, and says what it decides."""
        return compilers_of(self.graph, self.toolchain, self.runs)


def plan_sources(
    root: Path,
    files: Sequence[Path],
    options: CompileOptions,
    *,
    run: Runner = run_process,
    progress: Progress | None = None,
) -> SourcePlan:
    """Read these Solidity files as part of the project in `root`. Raises as `compile_targets`."""
    arguments = parse_solc_arguments(options.solc_args, Path.cwd(), options.policy)
    layout = layout_of(root, tuple(files), frozenset(files), arguments, options)
    graph = load_sources(layout.files, layout.search)
    return SourcePlan(root, graph, layout.toolchain, CompilerRuns(layout.options, run, progress or (lambda _: None)))
