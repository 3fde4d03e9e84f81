"""Native solc binaries on this machine: on PATH and in the caches of solc-select, svm and solcx."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from simulator.cache.store import Cache
from simulator.compile.cache_key import cache_key
from simulator.compile.solc.runner import ProcessError, Runner, run_with
from simulator.compile.solc.version import Version, VersionError, format_version, parse_version
from simulator.errors import CompileError
from simulator.policy import find_program

MAX_LAUNCHER = 100_000
VERSION_SECONDS = 10.0
"""For `--version`: a native solc needs milliseconds, a launcher in Python a second on a machine with other work."""


class NativeSolc(msgspec.Struct, frozen=True):
    """An executable and the release that its `--version` names."""

    path: Path
    version: Version


class NativeCompilers:
    """Finds native compilers. Versions are asked once for each binary and remembered in the cache folder. `tell` hears
    of programs that do not answer, `patience` is the time in seconds that they have."""

    def __init__(
        self,
        cache: Path,
        run: Runner,
        tell: Callable[[str], None] = lambda _: None,
        patience: float = VERSION_SECONDS,
    ) -> None:
        self._run = run
        self._tell = tell
        self._patience = min(patience, VERSION_SECONDS)
        self._silent: set[str] = set()
        self._versions: Cache[Version] = Cache(cache / "solc-versions", Version)
        self._cwd = cache

    def on_path(self) -> NativeSolc | None:
        """The `solc` of PATH, None when there is none or it does not answer."""
        found = find_program("solc")
        return self._probe(Path(found)) if found else None

    def of_version(self, version: Version) -> NativeSolc | None:
        """A binary of exactly this release in one of the known folders."""
        probes = (
            self._probe(path)
            for path in _places(format_version(version))
            if os.access(path, os.X_OK) and path.is_file()
        )
        return next((solc for solc in probes if solc and solc.version == version), None)

    def releases(self) -> frozenset[Version]:
        """The releases that the known folders seem to hold, from their names alone."""
        names = (entry.name for folder in _folders() if folder.is_dir() for entry in folder.iterdir())
        return frozenset(version for name in names if (version := _version_in(name)))

    def at(self, path: Path, *, is_named: bool = False) -> NativeSolc:
        """The compiler at a configured path. `is_named`: it is asked with the user's whole environment. Raises
        `CompileError` when it does not answer like solc."""
        if not os.path.isfile(path):  # unlike the method, false for a name that is too long
            raise CompileError(f"{path}: no such compiler")
        if not (solc := self._probe(path.absolute(), is_named=is_named)):
            raise CompileError(f"{path}: does not answer --version like solc within {self._patience:g} s")
        return solc

    def _probe(self, path: Path, *, is_named: bool = False) -> NativeSolc | None:
        key = _identity(path, is_named=is_named)
        if key in self._silent:
            return None
        if not (version := self._versions.get(key)):
            try:
                result = run_with(
                    self._run,
                    [str(path), "--version"],
                    b"",
                    _existing(self._cwd),
                    self._patience,
                    environment=dict(os.environ) if is_named else None,
                )
                version = parse_version(result.stdout.decode(errors="replace").partition("Version:")[2])
            except ProcessError as error:
                self._silent.add(key)
                self._tell(f"passing over {path}, asked for its --version: {error}")
                return None
            except VersionError:
                return None
            self._versions.put(key, version)
        return NativeSolc(path, version)


def _existing(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _identity(path: Path, *, is_named: bool) -> str:
    """Return what determines the version that a file answers with. solc-select's `solc` is a launcher: what it
    starts depends on its own setting. A user's wrapper may read any variable."""
    status = path.stat()
    selected = Path.home() / ".solc-select" / "global-version"
    launcher = [os.environ.get("SOLC_VERSION", ""), _content(selected)] if status.st_size < MAX_LAUNCHER else []
    if is_named and launcher:
        launcher += (f"{name}={value}" for name, value in sorted(os.environ.items()))
    return cache_key(str(path), str(status.st_size), str(status.st_mtime_ns), *launcher)


def _content(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""


def _version_in(name: str) -> Version | None:
    try:
        return parse_version(name)
    except VersionError:
        return None


def _folders() -> Iterator[Path]:
    """Return the user's folders; a relative one would lead into whatever folder is current."""
    return (folder for folder in _named_folders() if folder.is_absolute())


def _named_folders() -> Iterator[Path]:
    home = Path.home()
    yield home / ".solc-select" / "artifacts"
    if environment := os.environ.get("VIRTUAL_ENV"):
        yield Path(environment) / ".solc-select" / "artifacts"
    yield home / ".svm"
    yield Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "svm"
    yield Path(os.environ.get("SOLCX_BINARY_PATH") or home / ".solcx")


def _places(version: str) -> Iterator[Path]:
    for folder in _folders():
        yield folder / f"solc-{version}" / f"solc-{version}"
        yield folder / f"solc-{version}"
        yield folder / version / f"solc-{version}"
        yield folder / f"solc-v{version}"
        yield folder / f"solc-v{version}" / "bin" / "solc"
