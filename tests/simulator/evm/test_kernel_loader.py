"""Finding, building and loading the kernel's object code."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import KernelError
from simulator.evm import kernel_loader
from simulator.evm.kernel.object_file import undefined_symbols
from simulator.evm.kernel_loader import Kernel, object_path


def test_the_key_follows_the_content_of_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not their path or time: an edit gives another key, taking it back the old one."""
    source = tmp_path / "evm" / "kernel" / "a.py"
    source.parent.mkdir(parents=True)
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


def test_a_damaged_object_is_an_error_that_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback of a decoder."""
    monkeypatch.setenv("MONOTREME_CACHE", str(tmp_path))
    object_path().parent.mkdir(parents=True)
    object_path().write_bytes(b"nothing of the kind")
    with pytest.raises(KernelError, match="delete it"):
        Kernel.load()


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
        "import sys; from simulator.evm.kernel_loader import Kernel; from simulator.evm.machine import Machine;"
        "Machine(Kernel.load()); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
