"""Providers of compilers: the release for a set of sources, and the command that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from simulator.compile.options import CompileOptions
from simulator.compile.solc.native import NativeCompilers, NativeSolc
from simulator.compile.solc.npm import NpmCompilers, OtherReleaseError
from simulator.compile.solc.runner import Runner
from simulator.compile.solc.version import (
    KNOWN_RELEASES,
    OLDEST,
    Version,
    VersionError,
    VersionRange,
    allowed_releases,
    format_version,
    parse_version,
)
from simulator.errors import CompileError

_CAN_LEAVE_FILES: Version = (0, 8, 22)


class Compiler(msgspec.Struct, frozen=True):
    """A command that reads standard JSON on stdin and writes it on stdout. One that the user named `is_named`: it gets
    that user's environment."""

    version: Version
    command: tuple[str, ...]
    is_named: bool = False


class CompilerChoice:
    """Chooses releases and finds their compilers, in this order: the configured path; the native solc of PATH; native
    ones in the caches of solc-select, svm and solcx; the npm package `solc`."""

    def __init__(self, options: CompileOptions, run: Runner, progress: Callable[[str], None]) -> None:
        self._options = options
        self._progress = progress
        self._native = NativeCompilers(options.cache, run, progress, options.timeout)
        self._npm = NpmCompilers(options.cache, run, offline=options.offline)
        self._configured: NativeSolc | None = (
            self._native.at(options.solc, is_named=options.is_solc_named) if options.solc else None
        )
        self._on_path: NativeSolc | None = None
        self._has_asked_path = False

    def choose(self, ranges: Iterable[VersionRange]) -> Version | None:
        """The release to take for pragmas, None when none fits all: the configured one in any case; the native one of
        PATH when it fits; else the newest one published."""
        wanted = tuple(ranges)
        if self._configured:
            return self._configured.version
        if self._options.solc_version:
            return supported(parse_version(self._options.solc_version))
        path = self._path_solc()
        if path and path.version >= OLDEST and all(each.allows(path.version) for each in wanted):
            return path.version
        fitting = allowed_releases(wanted, self._known())
        if not fitting:
            fitting = allowed_releases(wanted, self._npm.published(refresh=True))
        return fitting[0] if fitting else None

    def _known(self) -> set[Version]:
        return {*KNOWN_RELEASES, *self._npm.published(), *self._npm.installed(), *self._native.releases()}

    def alternatives(self, ranges: Iterable[VersionRange]) -> tuple[Version, ...]:
        """Releases that fit and are already on this machine, newest first: to fall back on without a network."""
        if self._configured or self._options.solc_version:
            return ()
        return allowed_releases(ranges, self._npm.installed() | self._native.releases())

    @property
    def is_free(self) -> bool:
        """Return whether neither a compiler nor a release was named."""
        return not (self._configured or self._options.solc_version)

    def older(self, ranges: Iterable[VersionRange], version: Version) -> tuple[Version, ...]:
        """The newest fitting release of each older minor version, newest first, where the choice is free."""
        newest: dict[tuple[int, int], Version] = {}
        for each in allowed_releases(ranges, self._known()) if self.is_free else ():
            if each[:2] < version[:2]:
                newest.setdefault(each[:2], each)
        return tuple(newest.values())

    def neighbours(self, version: Version) -> tuple[Version, ...]:
        """Other releases of the same minor version, the nearest first, of two equally near the newer one."""
        others = (each for each in self._known() if each[:2] == version[:2] and each != version and each >= OLDEST)
        return tuple(sorted(others, key=lambda each: (abs(each[2] - version[2]), -each[2])))

    def find(self, version: Version) -> Compiler:
        """A compiler of exactly this release. Raises `CompileError`, one sentence naming all that was tried."""
        if self._configured:
            return self._of(self._configured)
        path = self._path_solc()
        if path and path.version == version:
            return self._of(path)
        if native := self._native.of_version(version):
            return self._of(native)
        if version not in self._npm.installed():
            self._progress(f"solc {format_version(version)} from npm")
        try:
            return Compiler(version, tuple(self._npm.command(version)))
        except OtherReleaseError:
            raise
        except CompileError as error:
            on_path = f"solc of PATH is {format_version(path.version)}" if path else "no solc on PATH"
            raise CompileError(
                f"no compiler for Solidity {format_version(version)}: {on_path}, none in the caches of solc-select, "
                f"svm and solcx, {error}"
            ) from error

    def _of(self, solc: NativeSolc) -> Compiler:
        # All sources are part of the input: nothing is left for the compiler to read.
        options = ("--no-import-callback",) if solc.version >= _CAN_LEAVE_FILES else ()
        is_named = solc is self._configured and self._options.is_solc_named
        return Compiler(solc.version, (str(solc.path), "--standard-json", *options), is_named)

    def _path_solc(self) -> NativeSolc | None:
        if not self._has_asked_path:
            self._has_asked_path = True
            self._on_path = self._native.on_path()
        return self._on_path


def supported(version: Version) -> Version:
    """The version itself. Raises `VersionError` when it is older than what can be compiled."""
    if version < OLDEST:
        raise VersionError(
            f"Solidity {format_version(version)} is too old: {format_version(OLDEST)} is the oldest that is supported"
        )
    return version
