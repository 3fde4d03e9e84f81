"""The cache is never trusted, never torn, and bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.compile.cache import Cache, cache_key, write_atomically


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    """Values are typed MessagePack."""
    cache: Cache[tuple[int, str]] = Cache(tmp_path / "c", tuple[int, str])
    assert cache.get("k") is None
    cache.put("k", (1, "x"))
    assert cache.get("k") == (1, "x")


@pytest.mark.parametrize("damage", [b"", b"\x00" * 40, b"short"])
def test_a_damaged_entry_is_not_there(tmp_path: Path, damage: bytes) -> None:
    """It can be written again."""
    cache: Cache[tuple[int, ...]] = Cache(tmp_path, tuple[int, ...])
    cache.put("k", (1, 2))
    (tmp_path / "k.msgpack").write_bytes(damage)
    assert cache.get("k") is None
    cache.put("k", (3,))
    assert cache.get("k") == (3,)


def test_one_flipped_bit_is_noticed(tmp_path: Path) -> None:
    """Entries carry a digest of themselves."""
    cache: Cache[tuple[int, ...]] = Cache(tmp_path, tuple[int, ...])
    cache.put("k", (1, 2))
    data = bytearray((tmp_path / "k.msgpack").read_bytes())
    data[-1] ^= 1
    (tmp_path / "k.msgpack").write_bytes(data)
    assert cache.get("k") is None


def test_a_value_of_another_type_is_not_there(tmp_path: Path) -> None:
    """Another version of the program may have written it."""
    other: Cache[str] = Cache(tmp_path, str)
    other.put("k", "text")
    cache: Cache[tuple[int, ...]] = Cache(tmp_path, tuple[int, ...])
    assert cache.get("k") is None


def test_the_least_recently_used_entries_go_first(tmp_path: Path) -> None:
    """Reading an entry keeps it."""
    cache: Cache[bytes] = Cache(tmp_path, bytes, max_total=400)
    for age, key in enumerate(("a", "b", "c")):
        cache.put(key, bytes(80))
        os.utime(tmp_path / f"{key}.msgpack", (age, age))
    assert cache.get("a") is not None
    cache.put("d", bytes(80))
    assert {file.stem for file in tmp_path.iterdir()} == {"a", "c", "d"}


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    """Work goes on without a cache."""
    (tmp_path / "file").write_text("")
    cache: Cache[int] = Cache(tmp_path / "file" / "c", int)
    cache.put("k", 1)
    assert cache.get("k") is None


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """Neither a part of the file nor a temporary one."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(tmp_path / "taken", b"data")
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]


def test_keys_depend_on_where_parts_end() -> None:
    """Moving a byte from one part to the next is another key."""
    assert cache_key("ab", "c") != cache_key("a", "bc")
    assert cache_key("ab") == cache_key(b"ab")
