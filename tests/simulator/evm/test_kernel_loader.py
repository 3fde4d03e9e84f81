"""Finding, building and loading the kernel's object code."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from simulator import kernel_loader, native_build
from simulator.evm.kernel.object_file import KernelObject, undefined_symbols
from simulator.evm.kernel_entry import Kernel
from simulator.kernel_loader import object_path


@pytest.mark.parametrize("place", ["evm/kernel/a.py", "evm/kernel/calls/a.py", "fuzz/native/a.py", "native_build.py"])
def test_the_key_follows_the_content_of_the_sources(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not their path or time: an edit gives another key, taking it back the old one."""
    source = tmp_path / place
    source.parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(kernel_loader, "ROOT", tmp_path)
    keys = []
    for text in ("x = 1", "x = 2", "x = 1"):
        source.write_text(text)
        keys.append(kernel_loader.source_key())
    assert keys[0] == keys[2] != keys[1]


def test_the_cache_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MONOTREME_CACHE, then XDG_CACHE_HOME."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("MONOTREME_CACHE", raising=False)
    assert object_path().parent == tmp_path / "xdg" / "monotreme" / "kernel"
    monkeypatch.setenv("MONOTREME_CACHE", str(tmp_path / "own"))
    assert object_path().parent == tmp_path / "own" / "kernel"


def test_a_damaged_object_is_told_and_built_again(
    compiled: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one line. Nothing of it is executed."""
    whole = kernel_loader.load_object()
    monkeypatch.setenv("MONOTREME_CACHE", str(tmp_path))
    built: list[str] = []

    def build(folder: Path, key: str, progress: object) -> None:
        built.append(key)
        kernel_loader.kernel_cache(folder).write(key, whole)

    monkeypatch.setattr(kernel_loader, "_run_builder", build)
    warnings: list[str] = []
    assert kernel_loader.load_object(warn=warnings.append) == whole
    assert (len(built), warnings) == (1, [])
    data = bytearray(object_path().read_bytes())
    data[len(data) // 2] ^= 1
    object_path().write_bytes(data)
    for _ in range(2):
        assert kernel_loader.load_object(warn=warnings.append) == whole
    assert len(built) == 2
    assert len(warnings) == 1
    assert warnings[0].startswith(f"{object_path()}: damaged")


def test_an_object_that_cannot_be_kept_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which says where, in one sentence."""
    monkeypatch.setattr("simulator.native_build.build", lambda: KernelObject("entry", (), b""))
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(native_build.sys, "argv", ["builder", str(tmp_path / "file"), "key"])
    errors = StringIO()
    monkeypatch.setattr(native_build.sys, "stderr", errors)
    assert native_build.main() == native_build.EXIT_FAILED
    assert errors.getvalue() == f"{tmp_path / 'file'}: cannot be written: Not a directory\n"


def test_the_object_needs_nothing_but_memory_functions(compiled: Kernel) -> None:
    """An unresolved symbol would crash the first call, so there is none."""
    data = kernel_loader.load_object().code
    assert undefined_symbols(data) <= {"memmove", "memset", "memcpy"}
    assert compiled.handlers


def test_loading_does_not_import_the_compiler() -> None:
    """A worker carries llvmlite, never numba."""
    import subprocess
    import sys

    program = (
        "import sys; from simulator.kernel_loader import load_kernel; from simulator.evm.machine import Machine;"
        "from simulator.evm.host import Host;"
        "Machine(load_kernel(), Host); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
