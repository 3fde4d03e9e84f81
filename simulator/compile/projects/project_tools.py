"""A project's own tools, forge and Hardhat, which run only for a project that the user trusts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simulator.compile.options import CompileOptions
from simulator.compile.projects.foundry_config import FoundryConfig
from simulator.compile.projects.script_config import ScriptConfig
from simulator.compile.solc.runner import ProcessError, Runner, allowed_environment, run_with
from simulator.compile.source_compilation import Progress
from simulator.policy import TRUST_FLAG, find_program

_FOUNDRY_VARIABLES = ("FOUNDRY_", "DAPP_", "SOLC_")
_MAX_REASON = 160


def build_with_forge(
    config: FoundryConfig,
    files: Sequence[Path],
    options: CompileOptions,
    run: Runner,
    progress: Progress,
    say: Progress,
) -> bool:
    """Have forge write complete build-info of `files`, of everything when there are none; False when there is no forge
    or it fails, which says nothing about the sources: it may lack a compiler. It runs programs that the project names
    and writes where the project says, so that the policy must trust the project."""
    forge = find_program("forge") if options.use_forge else None
    if forge is None:
        return False
    if not options.policy.runs_project_tools:
        say(f"compiled without forge, which would do whatever the project says; {TRUST_FLAG} lets it")
        return False
    progress("forge build")
    # forge writes only what it compiles into build-info, so everything has to be compiled.
    command = [forge, "build", "--force", "--build-info", "--root", str(config.root)]
    if options.offline:
        command.append("--offline")
    command += [str(file) for file in files]
    return _succeeds("forge build", command, config.root, options, run, say)


def build_with_hardhat(
    config: ScriptConfig, options: CompileOptions, run: Runner, progress: Progress, say: Progress
) -> bool:
    """Have the Hardhat that is installed in a trusted project compile it; False when there is none or it fails."""
    root = config.file.parent
    npx = find_program("npx") if config.kind == "Hardhat" and (root / "node_modules/.bin/hardhat").exists() else None
    if npx is None or not options.use_forge:
        return False
    if not options.policy.runs_project_tools:
        say(f"compiled without Hardhat, which would run the project's scripts; {TRUST_FLAG} lets it")
        return False
    progress("hardhat compile")
    return _succeeds("hardhat compile", [npx, "--no-install", "hardhat", "compile"], root, options, run, say)


def _succeeds(
    name: str, command: Sequence[str], root: Path, options: CompileOptions, run: Runner, say: Progress
) -> bool:
    """Run a tool with the user's settings for it. A failure is said."""
    try:
        result = run_with(run, command, b"", root, options.timeout, allowed_environment(_FOUNDRY_VARIABLES))
    except ProcessError as error:
        say(f"{error}; compiled without it")
        return False
    if result.returncode:
        lines = (result.stderr or result.stdout).decode(errors="replace").strip().splitlines()
        reason = next((line.strip() for line in lines if "error" in line.lower()), lines[-1].strip() if lines else "")
        said = f": {reason[:_MAX_REASON]}" if reason else f" with exit code {result.returncode}"
        say(f"{name} failed{said}; compiled without it")
    return result.returncode == 0
