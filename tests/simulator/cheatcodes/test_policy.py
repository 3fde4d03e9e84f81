"""Requests that contracts of an agent's campaign may make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.cheatcodes import install_cheatcodes
from simulator.evm.host import Host
from simulator.evm.kernel.status import REJECTED_AS_UNSUPPORTED
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from simulator.policy import agent_policy
from simulator.project import Project
from tests.support.cheatcode_bench import Bench, reason

PERMISSIONS = '[profile.default]\nfs_permissions = [{ access = "read-write", path = "/" }]\n'


@pytest.fixture
def agents(tmp_path: Path, kernel: Kernel) -> Callable[[Path], Bench]:
    """A campaign on a project, begun by an agent whose root is the folder `project`."""

    def make(root: Path) -> Bench:
        machine, told = Machine(kernel, Host), list[str]()
        policy = agent_policy([tmp_path / "project"])
        cheatcodes = install_cheatcodes(
            machine, Project(str(root), ()), allow_ffi=True, warn=told.append, policy=policy
        )
        return Bench(machine, cheatcodes, Project(str(root), ()), told)

    for name in ("project/src", "outside"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("project/foundry.toml", "foundry.toml"):
        (tmp_path / name).write_text(PERMISSIONS)
    (tmp_path / "outside/secret.txt").write_text("secret")
    (tmp_path / "project/inside.txt").write_text("inside")
    (tmp_path / "project/link.txt").symlink_to(tmp_path / "outside/secret.txt")
    (tmp_path / "project/linked").symlink_to(tmp_path / "outside")
    return make


READING: dict[str, tuple[Any, ...]] = {
    "readFile(string)": (),
    "readFileBinary(string)": (),
    "readLine(string)": (),
    "exists(string)": (),
    "isFile(string)": (),
    "fsMetadata(string)": (),
    "readDir(string)": (),
    "readLink(string)": (),
    "writeFile(string,string)": ("x",),
    "removeFile(string)": (),
}


@pytest.mark.parametrize("signature", READING)
def test_files_outside_of_the_roots_are_not_there(
    agents: Callable[[Path], Bench], tmp_path: Path, signature: str
) -> None:
    """Whatever fs_permissions say, through links, by `..`, and for a project that reaches above the roots."""
    bench = agents(tmp_path / "project")
    names = ("link.txt", "linked/secret.txt", "../outside/secret.txt", f"{tmp_path}/outside/secret.txt", "/etc/passwd")
    for name in names:
        result = bench.raw(signature, name, *READING[signature])
        assert not result.success
        assert bench.machine.context.rejected == REJECTED_AS_UNSUPPORTED
        assert "secret" not in reason(result).replace(name, "")
    above = agents(tmp_path)
    assert not above.raw(signature, "outside/secret.txt", *READING[signature]).success
    assert (tmp_path / "outside/secret.txt").read_text() == "secret"
    assert above.raw("readFile(string)", "project/inside.txt").success is False
    assert bench.vm("readFile(string)", "inside.txt") == "inside"


def test_the_environment_is_not_told(
    agents: Callable[[Path], Bench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a contract sets itself, it reads."""
    monkeypatch.setenv("HOME", "/home/secret")
    bench = agents(tmp_path / "project")
    assert bench.vm("envExists(string)", "HOME") is False
    assert "not found" in reason(bench.raw("envString(string)", "HOME"))
    assert "not found" in reason(bench.raw("resolveEnv(string)", "${HOME}"))
    bench.vm("setEnv(string,string)", "HOME", "mine")
    assert bench.vm("envString(string)", "HOME") == "mine"


def test_no_program_runs(agents: Callable[[Path], Bench], tmp_path: Path) -> None:
    """Even where the settings of the campaign say allowFFI."""
    bench = agents(tmp_path / "project")
    assert not bench.raw("ffi(string[])", ("touch", str(tmp_path / "mark"))).success
    assert not (tmp_path / "mark").exists()
