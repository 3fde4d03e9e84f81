"""The cache is never trusted, never torn, and bounded."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.cache import store
from simulator.cache.folder import make_private_folder
from simulator.cache.sealed_file import MAGIC, DamagedFileError, read_sealed, write_sealed
from simulator.cache.store import Cache
from simulator.compile.cache_key import cache_key
from simulator.files.atomic_file import write_atomically
from simulator.files.user_folders import user_cache_folder, user_data_folder, user_state_folder


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    """Values are typed MessagePack."""
    cache: Cache[tuple[int, str]] = Cache(tmp_path / "c", tuple[int, str])
    assert cache.get("k") is None
    cache.put("k", (1, "x"))
    assert cache.get("k") == (1, "x")


def damaged_in(file: Path, position: int) -> None:
    data = bytearray(file.read_bytes())
    data[position] ^= 1
    file.write_bytes(data)


DAMAGES = {
    "empty": lambda file: file.write_bytes(b""),
    "zeros": lambda file: file.write_bytes(bytes(80)),
    "short": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "a bit of the mark": lambda file: damaged_in(file, 0),
    "a bit of the digest": lambda file: damaged_in(file, len(MAGIC)),
    "a bit of the content": lambda file: damaged_in(file, -1),
    "a link": lambda file: (file.rename(file.with_name("x")), file.symlink_to("x")),
    "writable for others": lambda file: file.chmod(0o666),
    "a pipe": lambda file: (file.unlink(), os.mkfifo(file)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_is_told_and_not_there(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    """With one line. It can be written again."""
    warnings: list[str] = []
    cache: Cache[tuple[int, ...]] = Cache(tmp_path, tuple[int, ...], warn=warnings.append)
    cache.put("k", (1, 2))
    damage(cache.path("k"))
    assert cache.get("k") is None
    assert len(warnings) == 1
    assert warnings[0].startswith(str(cache.path("k")))
    assert cache.get("k") is None
    cache.put("k", (3,))
    assert cache.get("k") == (3,)
    assert len(warnings) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file of another user")
def test_an_entry_of_another_user_is_told_and_not_there(tmp_path: Path) -> None:
    """Whatever its digest says."""
    warnings: list[str] = []
    cache: Cache[int] = Cache(tmp_path, int, warn=warnings.append)
    cache.put("k", 1)
    os.chown(cache.path("k"), 12_345, 12_345)
    assert cache.get("k") is None
    assert "another user" in warnings[0]


@given(body=st.binary(max_size=200), data=st.data())
def test_no_changed_byte_goes_unnoticed(body: bytes, data: st.DataObject) -> None:
    """Wherever it is, and whatever it becomes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "file")
        write_sealed(file, body)
        assert read_sealed(file) == body
        content = bytearray(file.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        file.write_bytes(content)
        with pytest.raises(DamagedFileError):
            read_sealed(file)


def test_an_entry_under_another_key_is_not_there(tmp_path: Path) -> None:
    """The digest covers the name: no whole entry stands in for another."""
    cache: Cache[int] = Cache(tmp_path, int, warn=lambda _: None)
    cache.put("a", 1)
    cache.path("a").rename(cache.path("b"))
    assert cache.get("b") is None


def test_a_full_disk_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work continues without the entry, and no part of it is left."""
    cache: Cache[bytes] = Cache(tmp_path, bytes)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
    try:
        cache.put("k", bytes(100_000))
        with pytest.raises(OSError, match="too large"):
            cache.write("k", bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert cache.get("k") is None
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_users_stay(tmp_path: Path) -> None:
    """Also where they are called as entries are: only what begins as an entry makes room."""
    cache: Cache[bytes] = Cache(tmp_path, bytes, max_total=100)
    mine = tmp_path / "mine.msgpack"
    mine.write_bytes(bytes(1_000))
    os.utime(mine, (0, 0))
    for key in "ab":
        cache.put(key, bytes(50))
    assert mine.exists()
    assert [cache.get(key) for key in "ab"] == [None, bytes(50)]


def test_a_folder_of_the_cache_is_made_for_its_user_alone(tmp_path: Path) -> None:
    """With all above it that was missing."""
    Cache(tmp_path / "a" / "b", int).put("k", 1)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of another user")
def test_a_folder_that_another_user_can_write_is_not_private(tmp_path: Path) -> None:
    """Nor can it be made so."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    os.chown(tmp_path / "a", 12_345, 12_345)
    with pytest.raises(PermissionError, match="another user can write this folder"):
        make_private_folder(tmp_path / "a" / "b")


def test_a_folder_that_all_may_write_but_where_nobody_exchanges_files_is_private(tmp_path: Path) -> None:
    """As the system's temporary folder."""
    tmp_path.chmod(0o1777)
    make_private_folder(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_the_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MONOTREME_CACHE, then XDG_CACHE_HOME, then the home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CACHE_HOME", "MONOTREME_CACHE"):
        monkeypatch.delenv(name, raising=False)
    assert user_cache_folder() == tmp_path / ".cache" / "monotreme"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert user_cache_folder() == tmp_path / "xdg" / "monotreme"
    monkeypatch.setenv("MONOTREME_CACHE", str(tmp_path / "own"))
    assert user_cache_folder() == tmp_path / "own"


@pytest.mark.parametrize(
    ("variable", "folder", "below_home"),
    [
        ("XDG_DATA_HOME", user_data_folder, ".local/share"),
        ("XDG_STATE_HOME", user_state_folder, ".local/state"),
        ("XDG_CACHE_HOME", user_cache_folder, ".cache"),
    ],
)
def test_folders_of_a_user_follow_the_specification(
    variable: str, folder: Callable[[], Path], below_home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """XDG's: an absolute path in the variable, else a folder below the home. Relative paths are ignored."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("MONOTREME_CACHE", raising=False)
    for value in ("", "relative"):
        monkeypatch.setenv(variable, value)
        assert folder() == tmp_path / below_home / "monotreme"
    monkeypatch.setenv(variable, str(tmp_path / "xdg"))
    assert folder() == tmp_path / "xdg" / "monotreme"


def test_a_warning_is_one_line_without_a_log_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs that keep no log have stderr."""
    monkeypatch.delitem(store.sys.modules, "structlog", raising=False)
    store.log_warning("x: damaged")
    assert capsys.readouterr().err == "warning: x: damaged\n"


def test_a_value_of_another_type_is_not_there(tmp_path: Path) -> None:
    """Another version of the program may have written it."""
    other: Cache[str] = Cache(tmp_path, str)
    other.put("k", "text")
    cache: Cache[tuple[int, ...]] = Cache(tmp_path, tuple[int, ...])
    assert cache.get("k") is None


def test_the_least_recently_used_entries_go_first(tmp_path: Path) -> None:
    """Reading an entry keeps it."""
    cache: Cache[bytes] = Cache(tmp_path, bytes, max_total=450)
    for age, key in enumerate(("a", "b", "c")):
        cache.put(key, bytes(80))
        os.utime(tmp_path / f"{key}.msgpack", (age, age))
    assert cache.get("a") is not None
    cache.put("d", bytes(80))
    assert {file.stem for file in tmp_path.iterdir()} == {"a", "c", "d"}


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    """Work continues without a cache."""
    (tmp_path / "file").write_text("")
    cache: Cache[int] = Cache(tmp_path / "file" / "c", int)
    cache.put("k", 1)
    assert cache.get("k") is None


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """Neither a part of the file nor a temporary one."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(tmp_path / "taken", b"data", durable=False)
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_keys_depend_on_where_parts_end() -> None:
    """Moving a byte from one part to the next is another key."""
    assert cache_key("ab", "c") != cache_key("a", "bc")
    assert cache_key("ab") == cache_key(b"ab")
