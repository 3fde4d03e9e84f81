"""Options of a compilation, and the settings that a compiler is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from simulator.files.user_folders import user_cache_folder
from simulator.policy import USER, Policy


class CompilerSettings(msgspec.Struct, frozen=True):
    """Settings of solc that change its output; None leaves the compiler's default. `libraries` maps `path:Name` to
    20-byte addresses to link in."""

    optimizer: bool | None = None
    optimizer_runs: int | None = None
    via_ir: bool | None = None
    evm_version: str | None = None
    bytecode_hash: str | None = None
    cbor_metadata: bool | None = None
    revert_strings: str | None = None
    optimizer_details: dict[str, Any] | None = None
    libraries: dict[str, bytes] = {}

    def over(self, base: CompilerSettings) -> CompilerSettings:
        """These settings where they are given, else those of `base`; libraries of both."""

        def pick(mine: object, other: object) -> object:
            return other if mine is None else mine

        values = {name: pick(getattr(self, name), getattr(base, name)) for name in self.__struct_fields__}
        values["libraries"] = {**base.libraries, **self.libraries}
        return msgspec.convert(values, CompilerSettings)


class CompileOptions(msgspec.Struct, frozen=True):
    """`solc` is a compiler to use in any case, `solc_version` the release to take instead of what the pragmas choose.
    `solc_args` are arguments of solc's command line as Echidna's `solcArgs` holds them. `root` overrides the folder
    that source paths start from. `timeout` is seconds for each process that is started. `policy` decides what of all
    this, and of what the project's files say, is carried out. `contracts` are the contracts that the caller needs, as
    `Name` or `path:Name`: only the files that define them are compiled, with their imports; empty means every file.
    `allow_paths` are further folders that imports may come from. `is_solc_named`: the user named `solc`, which gets
    that user's environment, instead of a project. `may_fetch_vyper`: a missing release of Vyper may come
    from PyPI."""

    solc: Path | None = None
    solc_version: str | None = None
    solc_args: tuple[str, ...] = ()
    root: Path | None = None
    cache_directory: Path | None = None
    use_cache: bool = True
    use_forge: bool = True
    offline: bool = False
    timeout: float = 600.0
    policy: Policy = USER
    contracts: tuple[str, ...] = ()
    allow_paths: tuple[Path, ...] = ()
    is_solc_named: bool = True
    may_fetch_vyper: bool = False

    @property
    def cache(self) -> Path:
        """The user's cache folder: the given one, else `MONOTREME_CACHE`, else `~/.cache/monotreme`."""
        return self.cache_directory or user_cache_folder()
