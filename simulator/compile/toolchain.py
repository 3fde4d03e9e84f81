"""Toolchain: the compiler's release and settings for a source, as a project's configuration states them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from simulator.compile.options import CompilerSettings
from simulator.compile.solc.version import Version, VersionRange


class Build(msgspec.Struct, frozen=True):
    """A release with its settings."""

    version: Version
    settings: CompilerSettings


class Toolchain(msgspec.Struct, frozen=True):
    """`settings` are those of every source that no build is chosen for. `builds` are the releases that a project lists;
    empty means that pragmas choose. `overrides` are builds of single sources by their names. `place` names the file
    that says so."""

    settings: CompilerSettings = CompilerSettings()
    builds: tuple[Build, ...] = ()
    overrides: Mapping[str, Build] = {}
    place: str = ""

    def build_for(self, root: str, ranges: Iterable[VersionRange]) -> Build | None:
        """The build of a source by these pragmas, its own and those of its imports: as in Hardhat its override, else
        the newest release that fits. None when none fits, or pragmas choose."""
        wanted = tuple(ranges)
        listed = (self.overrides[root],) if root in self.overrides else self.builds
        fitting = [build for build in listed if all(each.allows(build.version) for each in wanted)]
        return max(fitting, key=lambda build: build.version, default=None)

    def settings_of(self, version: Version) -> CompilerSettings:
        """The settings of a release that was chosen in another way."""
        return next((build.settings for build in self.builds if build.version == version), self.settings)

    def under(self, settings: CompilerSettings) -> Toolchain:
        """The same with settings that win over all of these."""
        return Toolchain(
            settings.over(self.settings),
            tuple(Build(each.version, settings.over(each.settings)) for each in self.builds),
            {name: Build(each.version, settings.over(each.settings)) for name, each in self.overrides.items()},
            self.place,
        )
