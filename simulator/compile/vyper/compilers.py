"""Releases of Vyper: found where they are installed, or, if the user says so, fetched from PyPI.

Each fetched release has a virtual environment of its own in the cache folder. Wheels alone are installed, so that
nothing runs while they are.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from simulator.cache.folder import is_trusted, make_folder
from simulator.compile.options import CompileOptions
from simulator.compile.solc.runner import Runner
from simulator.compile.solc.version import Version, VersionRange, format_version, parse_range, parse_version
from simulator.errors import CompileError
from simulator.own_process import module_command
from simulator.policy import find_program

FETCH_FLAG = "--fetch-vyper"
PROGRAM = "vyper-json"
RELEASES: tuple[Version, ...] = (
    *((0, 2, patch) for patch in (8, 11, 12, 15, 16)),
    *((0, 3, patch) for patch in (0, 1, 2, 3, 4, 6, 7, 8, 9, 10)),
    *((0, 4, patch) for patch in (0, 1, 2, 3)),
)
_PRAGMA = re.compile(r"^#\s*(?:@version|pragma\s+version)\s+(?P<range>[^\n#]+)", re.MULTILINE)
_VERSION_SECONDS = 60.0
_FETCH_SECONDS = 600.0


class VyperCompiler(msgspec.Struct, frozen=True):
    """A program that reads standard JSON on stdin and writes it on stdout."""

    version: Version
    path: Path


def version_ranges(sources: Iterable[str]) -> tuple[VersionRange, ...]:
    """Return the ranges that the pragmas of sources allow. Raises `VersionError`."""
    texts = (match["range"].strip() for source in sources for match in _PRAGMA.finditer(source))
    return tuple(dict.fromkeys(parse_range(_as_npm(text)) for text in texts))


def _as_npm(text: str) -> str:
    """A specifier of PyPI (`~=0.4.0`, `==0.3.10`, `>=0.3,<0.5`) in the words of npm."""
    return text.replace("~=", "~").replace("==", "=").replace(",", " ")


def find_vyper(
    ranges: Iterable[VersionRange],
    options: CompileOptions,
    run: Runner,
    progress: Callable[[str], None] = lambda _: None,
) -> VyperCompiler:
    """The newest installed release that fits, else the newest one at all, fetched where the options allow it. Raises
    `CompileError`, one sentence with what to do."""
    wanted = tuple(ranges)

    def fits(version: Version) -> bool:
        return all(each.allows(version) for each in wanted)

    installed = [found for path in dict.fromkeys(_places(options.cache)) if (found := _probe(path, options.cache, run))]
    if fitting := [each for each in installed if fits(each.version)]:
        return max(fitting, key=lambda each: each.version)
    version = next((each for each in reversed(RELEASES) if fits(each)), None)
    if version is None:
        raise CompileError(f"no release of Vyper from {format_version(RELEASES[0])} on satisfies the pragmas")
    name = f"vyper=={format_version(version)}"
    if not options.may_fetch_vyper or options.offline:
        held = ", ".join(format_version(each.version) for each in installed) or "none"
        raise CompileError(
            f"no Vyper for these sources (installed: {held}): {FETCH_FLAG} fetches {name} from PyPI into the cache "
            f"folder, or install it yourself"
        )
    progress(f"{name} from PyPI")
    return _fetched(version, name, options, run)


def _places(cache: Path) -> Iterator[Path]:
    """The program of PATH, of this program's own environment, and those that were fetched."""
    if found := find_program(PROGRAM):
        yield Path(found)
    yield Path(sys.executable).parent / PROGRAM
    folder = cache / "vyper"
    if folder.is_dir() and is_trusted(folder.stat()):
        yield from (each / "bin" / PROGRAM for each in sorted(folder.iterdir()))


def _probe(path: Path, cache: Path, run: Runner) -> VyperCompiler | None:
    if not path.is_file():
        return None
    make_folder(cache)
    try:
        result = run([str(path), "--version"], b"", cache, _VERSION_SECONDS)
        return VyperCompiler(parse_version(result.stdout.decode(errors="replace")), path)
    except CompileError:
        return None


def _fetched(version: Version, name: str, options: CompileOptions, run: Runner) -> VyperCompiler:
    """A release in a virtual environment of its own, whole or not at all."""
    folder = options.cache / "vyper"
    place = folder / format_version(version)
    is_complete = False
    try:
        make_folder(folder)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".tmp-", ignore_cleanup_errors=True) as wheels:
            pip = module_command("pip", "--disable-pip-version-check")
            _step([*pip, "download", "--only-binary", ":all:", "--dest", wheels, name], folder, run, name)
            _step(module_command("venv", "--clear", str(place)), folder, run, name)
            # The same options for the environment's own Python.
            own = [str(place / "bin" / "python"), *pip[1:]]
            _step([*own, "install", "--no-index", "--find-links", wheels, name], folder, run, name)
        found = _probe(place / "bin" / PROGRAM, options.cache, run)
        if found is None:
            raise CompileError(f"{name} was fetched and does not answer --version")
        is_complete = True
        return found
    except OSError as error:
        raise CompileError(f"{name} cannot be fetched: {error}") from error
    finally:
        if not is_complete:
            shutil.rmtree(place, ignore_errors=True)


def _step(command: list[str], folder: Path, run: Runner, name: str) -> None:
    result = run(command, b"", folder, _FETCH_SECONDS)
    if result.returncode:
        raise CompileError(f"{name} cannot be fetched: {_reason(result.stderr)}")


def _reason(stderr: bytes) -> str:
    lines = [line for line in stderr.decode(errors="replace").splitlines() if "error" in line.lower()]
    return lines[-1][:200].strip() if lines else "pip says nothing"
