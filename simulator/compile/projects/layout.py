"""Layout of a project: sources, places of imports, compilers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from simulator.compile.options import CompileOptions
from simulator.compile.projects.foundry_config import FoundryConfig, load_foundry_config
from simulator.compile.projects.script_config import ScriptConfig, load_script_config, script_file
from simulator.compile.projects.targets import own_folders, solidity_files
from simulator.compile.solc.version import parse_version
from simulator.compile.solc_arguments import SolcArguments
from simulator.compile.sources.imports import SearchPath
from simulator.compile.sources.remappings import in_root, read_remappings
from simulator.compile.toolchain import Toolchain
from simulator.errors import CompileError
from simulator.policy import Policy, Request


class Layout(msgspec.Struct, frozen=True):
    """`files` are the sources of the project, those in `named` named one by one. Of `foundry` and `script` at most one
    is there. `options` are the caller's, with the project's compiler where they name none."""

    root: Path
    files: tuple[Path, ...]
    named: frozenset[Path]
    search: SearchPath
    toolchain: Toolchain
    options: CompileOptions
    foundry: FoundryConfig | None = None
    script: ScriptConfig | None = None

    def settings_files(self) -> tuple[Path, ...]:
        """Files whose change makes artifacts stale."""
        if self.script:
            return (self.script.file,)
        return (self.root / "foundry.toml", self.root / "remappings.txt")


def layout_of(
    root: Path,
    files: tuple[Path, ...],
    named: frozenset[Path],
    arguments: SolcArguments,
    options: CompileOptions,
) -> Layout:
    """The layout of these files in the project in `root`; without files, of all sources of the project. Raises
    `CompileError` when there are none, and `PolicyRefused`."""
    policy = options.policy
    if (root / "foundry.toml").is_file():
        foundry = load_foundry_config(root, policy=policy)
        options = with_foundry_compiler(options, foundry)
        toolchain = Toolchain(foundry.settings).under(arguments.settings)
        search = _search_path(root, arguments, options, foundry)
        return Layout(root, files or foundry_files(foundry), named, search, toolchain, options, foundry=foundry)
    search = _search_path(root, arguments, options, None)
    if file := script_file(root):
        script = load_script_config(file, policy)
        toolchain = _free_toolchain(script.toolchain, options).under(arguments.settings)
        chosen = files or script_files(script)
        return Layout(root, chosen, named, search, toolchain, options, script=script)
    return Layout(root, files, named, search, Toolchain(arguments.settings), options)


def foundry_files(config: FoundryConfig) -> tuple[Path, ...]:
    """The sources and tests of a project but for those that `skip` names. Raises `CompileError` when it has none."""
    folders = [config.root / name for name in (config.source, config.test)]
    files = dict.fromkeys(file for folder in folders if folder.is_dir() for file in solidity_files(folder))
    found = tuple(file for file in files if not config.skips(file))
    if not found:
        raise CompileError(f"{config.root}: no .sol file in {config.source} or {config.test}")
    return found


def script_files(config: ScriptConfig) -> tuple[Path, ...]:
    """The sources of a project of Hardhat or Truffle. Raises `CompileError` when it has none."""
    folders = [config.file.parent / name for name in config.sources]
    found = dict.fromkeys(file for folder in folders if folder.is_dir() for file in solidity_files(folder.resolve()))
    if not found:
        raise CompileError(f"{config.file.parent}: no .sol file in {' or '.join(config.sources)}")
    return tuple(found)


def with_foundry_compiler(options: CompileOptions, config: FoundryConfig) -> CompileOptions:
    """The options with the project's compiler where they name none. Raises `PolicyRefused`."""
    if options.solc or options.solc_version:
        return options
    if config.solc:
        options.policy.program(Request("solc", config.solc_place), config.solc)
    return msgspec.structs.replace(
        options, solc=config.solc, solc_version=config.solc_version, is_solc_named=not config.solc_place
    )


def _free_toolchain(toolchain: Toolchain, options: CompileOptions) -> Toolchain:
    """Without the project's releases where the user names one; its settings stay."""
    if not (options.solc or options.solc_version):
        return toolchain
    settings = toolchain.settings
    if options.solc_version:
        settings = toolchain.settings_of(parse_version(options.solc_version))
    return Toolchain(settings, place=toolchain.place)


def _search_path(
    root: Path, arguments: SolcArguments, options: CompileOptions, foundry: FoundryConfig | None
) -> SearchPath:
    """A later remapping wins over an equal one, so those of the arguments come last."""
    policy: Policy = options.policy
    listed = foundry.remappings if foundry else in_root(read_remappings(root / "remappings.txt", policy), root)
    allowed = tuple(policy.file(Request("--allow-paths"), folder) for folder in options.allow_paths)
    search = SearchPath(
        root,
        remappings=listed + in_root(arguments.remappings, root),
        include=arguments.include_paths,
        allowed=(*arguments.allow_paths, *allowed),
        own=own_folders(root, policy),
        policy=policy,
    )
    if foundry is None:
        return search
    return msgspec.structs.replace(
        search,
        libraries=foundry.libraries,
        include=(*search.include, *foundry.includes),
        allowed=(*search.allowed, *foundry.allowed),
    )


def names_of(files: Sequence[Path], root: Path) -> frozenset[str]:
    """The names of files as an artifact of the project knows them."""
    return frozenset(str(file.relative_to(root)) for file in files if file.is_relative_to(root))
