"""A machine of our own: an empty home, an empty PATH, and programs that are played by a recorder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from simulator.compile.options import CompileOptions
from simulator.compile.solc.runner import ProcessResult

_CONTRACT = re.compile(r"contract (\w+)")
_CODE = {"object": "6001", "sourceMap": "0:1:0", "linkReferences": {}}


def toy_compiler(stdin: bytes) -> bytes:
    """Output of standard JSON with a contract for each `contract X`, and an error for each `syntax error`."""
    sources = msgspec.json.decode(stdin)["sources"]
    output: dict[str, dict[str, object]] = {"contracts": {}, "sources": {}}
    for number, (path, source) in enumerate(sources.items()):
        names = _CONTRACT.findall(source["content"])
        nodes = [
            {"nodeType": "ContractDefinition", "id": number * 100 + index, "name": name}
            for index, name in enumerate(names)
        ]
        output["sources"][path] = {"id": number, "ast": {"nodeType": "SourceUnit", "nodes": nodes}}
        evm = {"bytecode": _CODE, "deployedBytecode": _CODE}
        output["contracts"][path] = {name: {"abi": [], "evm": evm} for name in names}
        if (start := source["content"].find("syntax error")) >= 0:
            location = {"file": path, "start": start, "end": start + 6}
            output["errors"] = [{"severity": "error", "message": "bad", "sourceLocation": location}]  # type: ignore[assignment]
    return msgspec.json.encode(output)


class Machine:
    """Records what is started. `programs` maps the name of an executable on PATH to what plays it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[tuple[str, ...]] = []
        self.inputs: list[bytes] = []
        self.programs: dict[str, Callable[[Sequence[str], bytes], ProcessResult]] = {}
        self.published = ["0.8.30", "0.8.37", "0.9.1", "0.9.2-nightly", "0.4.1"]
        self.holds: dict[str, str] = {}
        self.missing: set[str] = set()
        (folder / "bin").mkdir()
        (folder / "home").mkdir()

    def __call__(self, argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult:
        assert cwd.is_dir()
        assert timeout > 0
        self.started.append(tuple(argv))
        self.inputs.append(stdin)
        name = Path(argv[0]).name
        return self.programs[argv[0] if argv[0] in self.programs else name](argv, stdin)

    def install(self, path: Path, play: Callable[[Sequence[str], bytes], ProcessResult]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        path.chmod(0o755)
        self.programs[str(path)] = play

    def install_solc(self, version: str, path: Path | None = None) -> None:
        def play(argv: Sequence[str], stdin: bytes) -> ProcessResult:
            if argv[1] == "--version":
                text = f"solc, the solidity compiler commandline interface\nVersion: {version}+commit.1.Linux.g++\n"
                return ProcessResult(0, text.encode(), b"")
            return ProcessResult(0, toy_compiler(stdin), b"")

        self.install(path or self.folder / "bin" / "solc", play)

    def install_node(self) -> None:
        self.install(self.folder / "bin" / "node", self._node)
        self.install(self.folder / "bin" / "npm", self._npm)

    def _node(self, argv: Sequence[str], stdin: bytes) -> ProcessResult:
        if argv[-1] != "--version":
            return ProcessResult(0, toy_compiler(stdin), b"")
        package = Path(argv[2]).read_text().removeprefix("solc@")
        return ProcessResult(0, self.holds.get(package, package.removesuffix("-fixed")).encode(), b"")

    def _npm(self, argv: Sequence[str], _: bytes) -> ProcessResult:
        if argv[-1] in self.missing:
            return ProcessResult(1, b"", b"npm error 404")
        if argv[1] == "view":
            return ProcessResult(0, msgspec.json.encode(self.published), b"")
        package = Path(argv[argv.index("--prefix") + 1], "node_modules", "solc")
        package.mkdir(parents=True)
        (package / "soljson.js").write_text(argv[-1])
        return ProcessResult(0, b"added 1 package", b"")

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def options(self) -> CompileOptions:
        return CompileOptions(cache_directory=self.cache)

    def names(self) -> list[str]:
        """The started programs with their first argument, without folders and questions to npm's compilers."""
        asked = [argv for argv in self.started if argv[1].endswith("solc_runner.js") and argv[-1] == "--version"]
        return [" ".join((Path(argv[0]).name, Path(argv[1]).name)) for argv in self.started if argv not in asked]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    for name in ("VIRTUAL_ENV", "SOLC_VERSION", "SOLCX_BINARY_PATH", "FOUNDRY_PROFILE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("simulator.compile.solc.npm.find_spec", lambda _: None)
    return machine


@pytest.fixture
def project(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Writes files below a folder and gives the folder."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            file = tmp_path / "project" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return tmp_path / "project"

    return write
