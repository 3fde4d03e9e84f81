"""`foundry.toml` is read as forge reads it: profiles, further files, variables, every way to write a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simulator.compile import ProcessResult, compile_targets
from simulator.compile.projects.foundry_config import load_foundry_config
from simulator.compile.projects.layout import foundry_files
from simulator.errors import CompileError
from simulator.policy import Policy

if TYPE_CHECKING:
    from tests.simulator.compile.conftest import Machine

Write = Callable[[dict[str, str]], Path]


@pytest.mark.parametrize("key", ["via_ir", "viaIR", "via-ir"])
def test_keys_are_known_in_every_spelling(project: Write, key: str) -> None:
    assert load_foundry_config(project({"foundry.toml": f"[profile.default]\n{key} = true"})).settings.via_ir is True


def test_a_profile_extends_another_file(project: Write) -> None:
    """Its own values win; arrays are joined unless they are to be replaced."""
    base = "[profile.default]\nevm_version = 'paris'\nlibs = ['a']\n[profile.ci]\nvia_ir = true"
    root = project({"base.toml": base, "foundry.toml": "[profile.default]\nextends = 'base.toml'\nlibs = ['b']"})
    found = load_foundry_config(root, "ci")
    assert (found.settings.evm_version, found.settings.via_ir) == ("paris", True)
    assert found.libraries == ("a", "b", "node_modules")
    own = "extends = { path = 'base.toml', strategy = 'replace-arrays' }\nlibs = ['b']"
    assert load_foundry_config(project({"foundry.toml": f"[profile.default]\n{own}"})).libraries == (
        "b",
        "node_modules",
    )
    project({"foundry.toml": "[profile.default]\nextends = 'foundry.toml'"})
    with pytest.raises(CompileError, match="at most 8 deep"):
        load_foundry_config(root)


def test_the_users_variables_win_over_the_file(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"foundry.toml": "[profile.default]\noptimizer = false\nsrc = 'src'", "other/A.sol": ""})
    for name, value in (("OPTIMIZER", "true"), ("SRC", "other"), ("LIBS", "x,y"), ("SOLC", "0.8.19")):
        monkeypatch.setenv(f"FOUNDRY_{name}", value)
    found = load_foundry_config(root)
    assert (found.settings.optimizer, found.source, found.solc_version) == (True, "other", "0.8.19")
    assert found.libraries == ("x", "y", "node_modules")
    assert found.solc_place == ""


@pytest.mark.parametrize("pattern", ["src/sub/*", "B.sol", "./src/sub/B.sol", "**/B.sol"])
def test_sources_that_forge_skips_are_left_out(project: Write, pattern: str) -> None:
    config = f"[profile.default]\nskip = ['script', '{pattern}']"
    root = project({"foundry.toml": config, "src/A.sol": "", "src/sub/B.sol": "", "src/C.s.sol": ""})
    assert [file.name for file in foundry_files(load_foundry_config(root))] == ["A.sol"]


def test_folders_of_the_configuration_serve_imports(machine: Machine, project: Write) -> None:
    machine.install_node()
    root = project(
        {
            "p/foundry.toml": "[profile.default]\nallow_paths = ['../shared']\ninclude_paths = ['../more']",
            "p/src/A.sol": 'import "../../shared/S.sol"; import "M.sol"; contract A {}',
            "shared/S.sol": "contract S {}",
            "more/M.sol": "contract M {}",
        }
    )
    found = compile_targets([root / "p"], machine.options, run=machine)
    assert {each.name for each in found.contracts} == {"A", "S", "M"}


class WithEnvironment:
    """A machine that also tells which environment a process got."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.given: list[Mapping[str, str]] = []

    def __call__(self, argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult:
        return self.machine(argv, stdin, cwd, timeout)

    def with_environment(
        self, argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float, environment: Mapping[str, str]
    ) -> ProcessResult:
        self.given.append(environment)
        return self.machine(argv, stdin, cwd, timeout)


def test_forge_gets_the_users_settings_for_it_and_its_failure_is_said(
    machine: Machine, project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install_node()
    machine.install(
        machine.folder / "bin" / "forge", lambda *_: ProcessResult(1, b"", b"\nError: solc 0.8.99 is unknown\n")
    )
    monkeypatch.setenv("FOUNDRY_PROFILE", "ci")
    monkeypatch.setenv("SECRET_TOKEN", "x")
    run, said = WithEnvironment(machine), list[str]()
    root = project({"foundry.toml": "", "src/A.sol": "contract A {}"})
    options = machine.options.__class__(cache_directory=machine.cache, policy=Policy(trusts_project=True))
    compile_targets([root], options, run=run, say=said.append)
    assert run.given[0]["FOUNDRY_PROFILE"] == "ci"
    assert "SECRET_TOKEN" not in run.given[0]
    assert said == ["forge build failed: Error: solc 0.8.99 is unknown; compiled without it"]


def test_a_compiler_that_the_user_names_gets_the_users_environment(
    machine: Machine, project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For its version as for its work; one that a trusted project names does not."""
    monkeypatch.setenv("MY_SOLC", "y")
    machine.install_solc("0.8.30", machine.folder / "wrapper")
    run = WithEnvironment(machine)
    root = project({"A.sol": "contract A {}"})
    options = machine.options.__class__(cache_directory=machine.cache, solc=machine.folder / "wrapper")
    compile_targets([root / "A.sol"], options, run=run)
    assert [each["MY_SOLC"] for each in run.given] == ["y", "y"]
    run = WithEnvironment(machine)
    own = {"foundry.toml": f"[profile.default]\nsolc = '{machine.folder}/wrapper'", "src/B.sol": "contract B {}"}
    trusted = Policy(trusts_project=True)
    options = machine.options.__class__(cache_directory=machine.cache, policy=trusted, use_forge=False)
    compile_targets([project(own)], options, run=run)
    assert run.given == []
