"""Confinement of a command: environment, programs, folders."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from actors.processes.environment import build_environment
from actors.processes.executables import find_executable, search_path
from actors.processes.folders import allowed_roots, confined_folder, leads_outside
from actors.runtime.errors import ExecutableForbidden, ExecutableMissing, FolderRefused

SECRETS = (
    "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "GITHUB_TOKEN", "GITHUB_ACTOR", "NPM_TOKEN", "DATABASE_URL", "ETH_RPC_URL",
    "FOUNDRY_ETH_RPC_URL", "FOUNDRY_ETHERSCAN_API_KEY", "NPM_CONFIG__AUTH", "npm_config__authToken", "NUGET_API_KEY",
    "DOTNET_PASSWORD", "MNEMONIC", "PRIVATE_KEY", "PYTHONPATH", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV",
)  # fmt: skip


def program(folder: Path, name: str, mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(mode)
    return file


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_and_code_loading_variables_stay_here(name: str) -> None:
    """Neither tokens nor variables that load code into every child."""
    assert name not in build_environment({name: "x", "PATH": "/bin"})


def test_tools_keep_their_settings() -> None:
    """Caches, registries and proxies continue, and output is plain."""
    own = {"NUGET_PACKAGES": "/n", "npm_config_registry": "https://r", "HTTPS_PROXY": "p", "FOUNDRY_PROFILE": "ci"}
    environment = build_environment(own)
    assert own.items() <= environment.items()
    assert environment["NO_COLOR"] == "1"


def test_a_folder_is_confined_by_its_parts_after_links(tmp_path: Path) -> None:
    """Links, `..`, and a sibling whose name begins the same lead outside; a link back inside does not."""
    root = tmp_path / "root"
    for folder in (root / "inner", tmp_path / "root-sibling", tmp_path / "other"):
        folder.mkdir(parents=True)
    (root / "out").symlink_to(tmp_path / "other")
    (root / "in").symlink_to(root / "inner")
    (root / "file").write_text("")
    roots = allowed_roots((root, tmp_path / "missing"))
    assert confined_folder("in", roots, root) == (root / "inner").resolve()
    assert confined_folder(str(root), roots, Path("/")) == root.resolve()
    for path in ("..", "out", "../root-sibling", str(tmp_path / "root-sibling"), "/", "/etc", "inner/../../other"):
        with pytest.raises(FolderRefused, match="outside the allowed roots"):
            confined_folder(path, roots, root)
    with pytest.raises(FolderRefused, match="does not exist: nowhere"):
        confined_folder("nowhere", roots, root)
    with pytest.raises(FolderRefused, match="not a directory"):
        confined_folder("file", roots, root)
    with pytest.raises(FolderRefused, match="NUL"):
        confined_folder("a\0b", roots, root)


def test_folders_of_the_system_need_a_root_of_their_own() -> None:
    """A root of `/` does not open `/etc`; a root inside does."""
    with pytest.raises(FolderRefused, match="outside the allowed roots"):
        confined_folder("/etc", allowed_roots((Path("/"),)), Path("/"))
    assert confined_folder("/etc", allowed_roots((Path("/etc"),)), Path("/")) == Path("/etc").resolve()


def test_paths_for_commands_may_not_exist_yet(tmp_path: Path) -> None:
    """An output folder inside is fine, one outside is not."""
    roots = allowed_roots((tmp_path,))
    assert not leads_outside("out/new", roots, tmp_path)
    assert not leads_outside(str(tmp_path / "x"), roots, tmp_path)
    assert leads_outside("../x", roots, tmp_path)
    assert leads_outside("/tmp/../etc/passwd", roots, tmp_path)


def test_local_programs_come_before_path(tmp_path: Path) -> None:
    """The nearest `node_modules/.bin` inside the roots, then absolute folders of PATH; none outside the roots."""
    root = tmp_path / "root"
    outside = program(tmp_path / "node_modules" / ".bin", "tool")
    upper = program(root / "node_modules" / ".bin", "tool")
    inner = program(root / "app" / "node_modules" / ".bin", "tool")
    on_path = program(tmp_path / "bin", "other")
    path = search_path(root / "app", (root,), os.pathsep.join(["", ".", "relative", str(tmp_path / "bin")]))
    assert find_executable("tool", path) == inner
    inner.unlink()
    assert find_executable("tool", path) == upper
    upper.unlink()
    with pytest.raises(ExecutableMissing, match="Command not found: tool"):
        find_executable("tool", path)
    assert outside.exists()
    assert find_executable("other", path) == on_path
    assert "relative" not in path.split(os.pathsep)


@pytest.mark.parametrize("name", ["", "/bin/sh", "../sh", "a\0b"])
def test_only_bare_names_are_looked_up(name: str) -> None:
    """A path is never executed, a caller who asks for it."""
    with pytest.raises(ExecutableMissing):
        find_executable(name, "/bin")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_program_without_permission_is_told_apart(tmp_path: Path) -> None:
    """It is there, and may not be executed; a later one on PATH that may is taken."""
    program(tmp_path / "a", "tool", 0o644)
    with pytest.raises(ExecutableForbidden, match="Permission denied: tool"):
        find_executable("tool", str(tmp_path / "a"))
    good = program(tmp_path / "b", "tool")
    assert find_executable("tool", os.pathsep.join([str(tmp_path / "a"), str(tmp_path / "b")])) == good
