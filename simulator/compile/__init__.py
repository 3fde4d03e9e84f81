"""Compilation: from what a user points at to a `simulator.project.Project`."""

from simulator.compile.diagnostics import CompilationFailed, Diagnostic, render_diagnostic, render_diagnostics
from simulator.compile.options import CompileOptions, CompilerSettings
from simulator.compile.pipeline import compile_targets, compiler_messages
from simulator.compile.projects.selection import (
    Selection,
    choose_contract,
    choose_contracts,
    deployable,
    select_contract,
)
from simulator.compile.solc.runner import ProcessError, ProcessResult, Runner, run_process

__all__ = [
    "CompilationFailed",
    "CompileOptions",
    "CompilerSettings",
    "Diagnostic",
    "ProcessError",
    "ProcessResult",
    "Runner",
    "Selection",
    "choose_contract",
    "choose_contracts",
    "compile_targets",
    "compiler_messages",
    "deployable",
    "render_diagnostic",
    "render_diagnostics",
    "run_process",
    "select_contract",
]
