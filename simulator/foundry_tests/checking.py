"""Executing exported tests where they were written: by forge, else by our own EVM."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from simulator.compile.diagnostics import CompilationFailed
from simulator.compile.options import CompileOptions, CompilerSettings
from simulator.compile.solc.runner import ProcessError, Runner
from simulator.compile.solc.version import format_version
from simulator.compile.source_plan import SourcePlan, plan_sources
from simulator.errors import CompileError, SimulatorError
from simulator.foundry_tests.execution import Execution
from simulator.foundry_tests.folder_files import Compilation, forge_remappings, foundry_toml, world_entries
from simulator.foundry_tests.forge import forge_command, forge_environment, read_answer, write_home
from simulator.foundry_tests.model import FoundryTest
from simulator.foundry_tests.outcome import ExportOutcome, Verification, judged, unverified
from simulator.foundry_tests.rendering import contract_name, file_name
from simulator.foundry_tests.verdicts import failure_text
from simulator.own_process import module_command
from simulator.policy import Policy, find_program
from simulator.project import Project
from simulator.settings import ForkSettings

SECONDS = 300.0
OWN = "Monotreme's own EVM"


@dataclass(frozen=True)
class Export:
    """A test and the source of its file."""

    test: FoundryTest
    source: str


@dataclass(frozen=True)
class CheckSurroundings:
    """Surroundings of exported tests: `folder` on the disk, the project they belong to, and what they are linked to.

    `forge` is the program to run them with, None for our own EVM, which runs those that need the chain of `fork`.
    """

    folder: Path
    project: Project
    options: CompileOptions
    libraries: dict[str, bytes]
    allow_ffi: bool = False
    forge: str | None = None
    fork: ForkSettings | None = None


def usable_forge(policy: Policy) -> str | None:
    """The forge of this machine, unless the policy leaves programs to the administrator of a server."""
    return find_program("forge") if policy.programs is None else None


def check_exports(
    exports: Sequence[Export], around: CheckSurroundings, run: Runner, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Verification]:
    """Return whether each test fails as it must, by the name of its file. Blocks while compilers and tests run;
    raises what `run` raises to cancel."""
    if around.fork is not None:
        # The chain is in the campaign's cache, and forge gets neither the network nor the keys in the URL.
        around = replace(around, forge=None)
    return _check(exports, around, run, tell) if exports else {}


def _check(
    exports: Sequence[Export], around: CheckSurroundings, run: Runner, tell: Callable[[str], None]
) -> dict[str, Verification]:
    try:
        with tempfile.TemporaryDirectory(prefix="checking-", dir=around.folder) as name:
            return _check_in(Path(name), exports, around, run, tell)
    except (SimulatorError, OSError) as error:
        if len(exports) > 1:
            # One that cannot be compiled says nothing of the others.
            return {name: each for one in exports for name, each in _check([one], around, run, tell).items()}
        return {file_name(exports[0].test): unverified(_first_line(error))}


def _check_in(
    place: Path, exports: Sequence[Export], around: CheckSurroundings, run: Runner, tell: Callable[[str], None]
) -> dict[str, Verification]:
    files = write_sources(place, exports, around.project)
    plan = plan_sources(around.project.folder, files, around.options, run=run)
    said = ""
    if around.forge is not None:
        tell(f"executing {len(exports)} exported Foundry tests with forge")
        outcomes, said = _by_forge(around.forge, place, exports, plan, around, run)
        if outcomes:
            program = forge_version(around.forge, place, run)
            return _judged(exports, outcomes, program, "forge did not run it")
    tell(f"executing {len(exports)} exported Foundry tests")
    return _judged(exports, _by_ourselves(plan, place, exports, around, run), OWN + said, "it is missing")


def _judged(
    exports: Iterable[Export], outcomes: dict[str, ExportOutcome], program: str, missing: str
) -> dict[str, Verification]:
    verdicts = {}
    for each in exports:
        outcome = outcomes.get(contract_name(each.test), ExportOutcome("stopped", missing))
        verdicts[file_name(each.test)] = judged(
            outcome, failure_text(each.test.check) if each.test.check else "", program
        )
    return verdicts


def write_sources(place: Path, exports: Iterable[Export], project: Project) -> list[Path]:
    """Write the tests, and a file for each older compiler that imports what the tests ask forge for by name."""
    sources = {file_name(each.test): each.source for each in exports} | older_sources(exports, project)
    files = []
    for name, source in sources.items():
        file = place / name
        file.write_text(source)
        files.append(file)
    return files


def older_sources(exports: Iterable[Export], project: Project) -> dict[str, str]:
    """Files that have forge compile the contracts that are too old to be imported by a test."""
    asked = {item.import_path for each in exports for item in each.test.deployments if item.by_name}
    found: dict[str, str] = {}
    for unit in project.units:
        paths = sorted(asked.intersection(source.path for source in unit.sources))
        version = unit.compiler.partition("+")[0]
        if paths:
            imports = "\n".join(f'import "{path}";' for path in paths)
            found[f"Sources.{version.replace('.', '_')}.sol"] = f"pragma solidity {version};\n\n{imports}\n"
    return found


def has_older(exports: Iterable[Export]) -> bool:
    """Return whether a test asks forge for a contract by name."""
    return any(item.by_name for each in exports for item in each.test.deployments)


# --- forge ------------------------------------------------------------------------------------------------------------


def settings_file(exports: Sequence[Export], plan: SourcePlan, around: CheckSurroundings) -> str:
    """The `foundry.toml` of these tests."""
    versions = {format_version(each.version) for each in plan.compilers()}
    compilation = Compilation(
        around.project.folder,
        forge_remappings(plan.graph),
        plan.settings,
        versions.pop() if len(versions) == 1 else "",
        exports[0].test.world.compiled_for,
    )
    listed = [f"{name}:0x{address.hex()}" for name, address in around.libraries.items()]
    test = exports[0].test
    text = foundry_toml(compilation, test.world, listed)
    if around.allow_ffi:
        text += "ffi = true\n"
    if test.inherits:
        text += world_entries(test.world, test.deployer, max((amount for _, amount in test.balances), default=0))
    return text


def _by_forge(
    forge: str, place: Path, exports: Sequence[Export], plan: SourcePlan, around: CheckSurroundings, run: Runner
) -> tuple[dict[str, ExportOutcome], str]:
    """Outcomes by contract, or none and why."""
    (place / "foundry.toml").write_text(settings_file(exports, plan, around))
    try:
        with tempfile.TemporaryDirectory() as name:
            home = Path(name)
            write_home(home, plan.compilers())
            result = run(
                _with_home(home, forge_command(forge, place, has_older=has_older(exports))), b"", home, SECONDS
            )
    except ProcessError as error:
        return {}, f" (forge: {_first_line(error)})"
    outcomes = read_answer(result.stdout)
    if outcomes:
        return outcomes, ""
    lines = [line for line in (result.stderr + result.stdout).decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("Error")] or lines or [f"exit code {result.returncode}"]
    return {}, f" (forge did not compile it: {errors[0][:120]})"


def forge_version(forge: str, place: Path, run: Runner) -> str:
    """`forge` and its release, for people."""
    try:
        text = run([forge, "--version"], b"", place, SECONDS).stdout.decode(errors="replace")
    except ProcessError:
        return "forge"
    words = text.split("\n", 1)[0].rsplit(maxsplit=1)
    return f"forge {words[-1]}" if len(words) > 1 else "forge"


def _with_home(home: Path, command: list[str]) -> list[str]:
    env = find_program("env")
    if env is None:
        raise ProcessError("there is no env on PATH to give forge a home of its own")
    return [env, *(f"{name}={value}" for name, value in forge_environment(home, {}).items()), *command]


# --- our own EVM ------------------------------------------------------------------------------------------------------


def _by_ourselves(
    plan: SourcePlan, place: Path, exports: Sequence[Export], around: CheckSurroundings, run: Runner
) -> dict[str, ExportOutcome]:
    # A test for contracts of an older compiler is compiled by a newer one, which must keep to their rules.
    world = exports[0].test.world
    project = plan.under(CompilerSettings(evm_version=world.compiled_for)).compile()
    names, root = {contract_name(each.test) for each in exports}, around.project.folder
    execution = Execution(
        project,
        tuple(
            each.full_name for each in project.contracts if each.name in names and (root / each.path).parent == place
        ),
        around.libraries,
        world.evm_version,
        world.block.gas_limit,
        around.allow_ffi,
        around.options.policy,
        around.fork,
    )
    result = run(module_command("simulator.foundry_tests"), msgspec.msgpack.encode(execution), place, SECONDS)
    if result.returncode:
        lines = result.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {result.returncode}"]
        raise CompileError(f"{OWN} could not run it: {lines[-1]}")
    outcomes = msgspec.msgpack.decode(result.stdout, type=dict[str, ExportOutcome])
    return {name.rpartition(":")[2]: outcome for name, outcome in outcomes.items()}


def _first_line(error: Exception) -> str:
    if isinstance(error, CompilationFailed):
        return str(error).strip().splitlines()[0]
    return str(error).partition("\n")[0]
