"""Foundry projects are compiled as forge would, with or without forge."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from simulator.compile import ProcessResult, compile_targets
from simulator.compile.options import CompilerSettings
from simulator.compile.projects.foundry_config import load_foundry_config
from simulator.compile.sources.remappings import Remapping
from simulator.errors import CompileError, PolicyRefused
from simulator.policy import USER, Policy, agent_policy
from simulator.project import Project

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine

Write = Callable[[dict[str, str]], Path]

TOML = """
[profile.default]
src = "contracts"
libs = ["lib", "vendor"]
solc = "0.8.19"
optimizer_runs = 300
via_ir = true
evm_version = "paris"
remappings = ["@x/=lib/x/"]
cbor_metadata = false

[profile.ci]
via_ir = false
optimizer = false
"""


def test_settings_of_the_default_profile_are_read(project: Write) -> None:
    """Naming a number of runs switches the optimizer on."""
    root = project({"foundry.toml": TOML, "remappings.txt": "y/=lib/y/src/\n"})
    config = load_foundry_config(root)
    assert (config.source, config.test, config.out) == ("contracts", "test", "out")
    assert config.libraries == ("lib", "vendor", "node_modules")
    assert config.remappings == (Remapping("y/", "lib/y/src/"), Remapping("@x/", "lib/x/"))
    assert (config.solc, config.solc_version) == (None, "0.8.19")
    assert config.settings == CompilerSettings(
        optimizer=True, optimizer_runs=300, via_ir=True, evm_version="paris", cbor_metadata=False
    )


def test_another_profile_is_laid_over_the_default(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """`FOUNDRY_PROFILE` chooses it."""
    root = project({"foundry.toml": TOML})
    monkeypatch.setenv("FOUNDRY_PROFILE", "ci")
    settings = load_foundry_config(root).settings
    assert (settings.via_ir, settings.optimizer, settings.optimizer_runs) == (False, False, 300)


def test_an_empty_file_means_the_defaults(project: Write) -> None:
    """The optimizer is left alone, libraries are in lib and node_modules."""
    config = load_foundry_config(project({"foundry.toml": ""}))
    assert config.settings == CompilerSettings()
    assert config.libraries == ("lib", "node_modules")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[profile", "not TOML"),
        ("[profile.default]\noptimizer_runs = 'x'", "optimizer_runs must be a whole number, not 'x'"),
        ("[profile.default]\noptimizer_runs = -5", "optimizer_runs must be from 0 to 4294967295, not -5"),
        ("[profile.default]\nevm_version = 'moon'", "evm_version must be one of homestead, .*, not 'moon'"),
        ("[profile.default]\nbytecode_hash = 'x'", "bytecode_hash must be one of none, ipfs, bzzr1, not 'x'"),
        ("[profile.default]\noptimizer = 1", "optimizer must be true or false"),
        ("[profile.default]\nsrc = 3", "src must be a text"),
        ("[profile.default]\nremappings = ['x']", "remappings: 'x' is not a remapping"),
        ("[profile.default]\nsolc = 'newest'", "solc must be a version such as"),
        ("profile.default = 3", "is not a table"),
    ],
)
def test_a_malformed_setting_is_an_error(project: Write, text: str, message: str) -> None:
    """The message names file and key."""
    with pytest.raises(CompileError, match=rf"foundry\.toml: .*{message}"):
        load_foundry_config(project({"foundry.toml": text}))


FILES = {
    "foundry.toml": "[profile.default]\nsolc = '0.8.19'\noptimizer = true\nlibs = ['deps']\n",
    "src/A.sol": 'import "dep/D.sol"; contract A {}',
    "test/T.sol": 'import "src/A.sol"; contract T {}',
    "script/S.sol": "contract S { syntax error }",
    "deps/dep/src/D.sol": "contract D {}",
}


def compile_with(machine: Machine, *paths: Path, **changes: object) -> Project:
    return compile_targets(paths, msgspec.structs.replace(machine.options, **changes), run=machine)


def names(project: Project) -> set[str]:
    return {each.full_name for each in project.contracts}


ALL = {"src/A.sol:A", "test/T.sol:T", "deps/dep/src/D.sol:D"}


def test_a_project_is_compiled_with_its_settings(machine: Machine, project: Write) -> None:
    """Sources and tests, the given libraries, compiler and optimizer."""
    machine.install_node()
    root = project(FILES)
    found = compile_with(machine, root)
    assert names(found) == ALL
    assert found.units[0].compiler == "0.8.19"
    assert msgspec.json.decode(machine.inputs[-1])["settings"]["optimizer"]["enabled"] is True


def test_one_file_of_a_project_is_compiled_alike(machine: Machine, project: Write) -> None:
    """Its settings hold, but only what it imports is compiled."""
    machine.install_node()
    found = compile_with(machine, project(FILES) / "src/A.sol")
    assert names(found) == {"src/A.sol:A", "deps/dep/src/D.sol:D"}
    assert found.units[0].compiler == "0.8.19"


def install_forge(machine: Machine, root: Path, returncode: int = 0) -> None:
    """A forge that writes build-info as the real one does."""

    def forge(argv: Sequence[str], _: bytes) -> ProcessResult:
        assert list(argv[1:4]) == ["build", "--force", "--build-info"]
        if returncode == 0:
            write_build_info(machine, root)
        return ProcessResult(returncode, b"", b"")

    machine.install(machine.folder / "bin" / "forge", forge)


def write_build_info(machine: Machine, root: Path, version: str = "0.8.21") -> Path:
    names = ("src/A.sol", "test/T.sol", "deps/dep/src/D.sol")
    sources: dict[str, Any] = {name: {"content": (root / name).read_text()} for name in names}
    compiler = machine.folder / "helper-solc"
    machine.install_solc(version, compiler)
    text = msgspec.json.encode({"sources": sources})
    output = machine.programs[str(compiler)]([str(compiler), "--standard-json"], text).stdout
    file = root / "out" / "build-info" / "1234.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    document = {"id": "1234", "input": {"sources": sources, "settings": {}}, "solcVersion": version}
    file.write_bytes(msgspec.json.encode({**document, "output": msgspec.json.decode(output)}))
    return file


TRUSTED = Policy(trusts_project=True)


def test_forge_builds_a_trusted_project(machine: Machine, project: Write) -> None:
    """Its build-info is taken, and the second time nothing is started."""
    root = project(FILES)
    install_forge(machine, root)
    for _ in range(2):
        found = compile_with(machine, root, policy=TRUSTED)
        assert names(found) == ALL
        assert found.units[0].compiler == "0.8.21"
    assert machine.names() == ["forge build"]


def test_without_a_working_forge_the_project_is_compiled_all_the_same(machine: Machine, project: Write) -> None:
    """forge may lack a compiler that we can get."""
    root = project(FILES)
    machine.install_node()
    install_forge(machine, root, returncode=1)
    assert names(compile_with(machine, root, policy=TRUSTED)) == ALL
    assert machine.names() == ["forge build", "npm install", "node solc_runner.js"]


@pytest.mark.parametrize("policy", [USER, agent_policy([Path("/")])])
def test_forge_builds_no_other_project(machine: Machine, project: Write, policy: Policy) -> None:
    """It runs programs that the project names, and writes where the project says."""
    root = project(FILES)
    machine.install_node()
    install_forge(machine, root)
    assert names(compile_with(machine, root, policy=policy)) == ALL
    assert "forge build" not in machine.names()


def test_libraries_may_lead_above_the_project(machine: Machine, project: Write) -> None:
    """As in repositories with one project a folder: for their user; an agent's roots hold all the same."""
    machine.install_node()
    root = project(
        {
            "lib/dep/src/D.sol": "contract D {}",
            "contracts/E.sol": "contract E {}",
            "tests/p/foundry.toml": "[profile.default]\nlibs = ['../../lib', '../..']\n",
            "tests/p/remappings.txt": "all/=../../contracts/\n",
            "tests/p/src/A.sol": 'import "dep/D.sol"; import "all/E.sol"; contract A {}',
        }
    )
    expected = {"A", "D", "E"}
    for policy in (USER, agent_policy([root])):
        assert {each.name for each in compile_with(machine, root / "tests/p", policy=policy).contracts} == expected
    with pytest.raises(PolicyRefused, match=r"foundry\.toml: libs: the path is outside the allowed roots"):
        compile_with(machine, root / "tests/p", policy=agent_policy([root / "tests"]))


def test_the_compiler_of_a_project_runs_where_it_is_trusted(machine: Machine, project: Write) -> None:
    """Else the error names the flags, and one of them is enough."""
    root = project({"foundry.toml": "[profile.default]\nsolc = './solc'\n", "src/A.sol": "contract A {}"})
    machine.install_solc("0.8.19", root / "solc")
    with pytest.raises(PolicyRefused, match=rf"--solc {root}/solc runs this one, --trust-project"):
        compile_with(machine, root)
    assert machine.started == []
    for change in ({"policy": TRUSTED}, {"solc": root / "solc"}):
        assert compile_with(machine, root, use_forge=False, **change).units[0].compiler == "0.8.19"


def test_fresh_artifacts_are_taken_without_compiling(machine: Machine, project: Write) -> None:
    """There is no compiler at all."""
    root = project(FILES)
    write_build_info(machine, root)
    assert names(compile_with(machine, root)) == ALL
    assert machine.started == []


@pytest.mark.parametrize("change", ["source", "library", "new file", "settings", "damage"])
def test_stale_artifacts_are_not_taken(machine: Machine, project: Write, change: str) -> None:
    """A changed source, library or setting, a new test, or a torn file."""
    root = project(FILES)
    machine.install_node()
    file = write_build_info(machine, root)
    match change:
        case "source":
            project({"src/A.sol": "contract A {}"})
        case "library":
            project({"deps/dep/src/D.sol": "contract D { }"})
        case "new file":
            project({"test/U.sol": "contract U {}"})
        case "settings":
            os.utime(file, (1, 1))
        case _:
            file.write_bytes(file.read_bytes()[:100])
    assert compile_with(machine, root).units[0].compiler == "0.8.19"
    assert "node solc_runner.js" in machine.names()


def test_a_compiler_by_hand_goes_around_forge_and_artifacts(machine: Machine, project: Write) -> None:
    """They may have been made by another one."""
    root = project(FILES)
    machine.install_node()
    write_build_info(machine, root)
    assert compile_with(machine, root, solc_version="0.8.30").units[0].compiler == "0.8.30"


def test_a_project_without_sources_is_an_error(machine: Machine, project: Write) -> None:
    """The message names the folders that were searched."""
    with pytest.raises(CompileError, match=r"no \.sol file in src or test"):
        compile_with(machine, project({"foundry.toml": ""}))
