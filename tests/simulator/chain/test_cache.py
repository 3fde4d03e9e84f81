"""State on disk: shared, bounded, and never in the way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from simulator.chain.cache import StateCache
from simulator.chain.folder import database_path, prune, recall_block, remember_block, sibling_databases
from simulator.chain.single_flight import SingleFlight
from simulator.endpoint import parse_endpoints
from simulator.evm.forked_state import ChainAccount
from simulator.forked_block import ForkedBlock

LARGEST = 2**256 - 1
ACCOUNT = ChainAccount(LARGEST, 2**64 - 1, b"\x60\x01")


def block_at(number: int, digest: bytes = 32 * b"\1") -> ForkedBlock:
    return ForkedBlock(1, number, digest, 1, bytes(20), bytes(32), 1, bytes(32), bytes(32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chain" / "1.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[StateCache]:
    with closing(StateCache(path)) as opened:
        yield opened


def test_what_one_process_keeps_another_finds(cache: StateCache, path: Path) -> None:
    """Accounts, codes, slots and block hashes, from nothing to the largest."""
    cache.keep_accounts([(1, ACCOUNT), (2, ChainAccount())])
    cache.keep_slots([(1, LARGEST, LARGEST), (1, 0, 0), (2, 0, 7)])
    cache.keep_block_hash(9, LARGEST)
    with closing(StateCache(path)) as other:
        assert (other.account(1), other.account(2), other.account(3)) == (ACCOUNT, ChainAccount(), None)
        assert (other.slot(1, LARGEST), other.slot(1, 0), other.slot(1, 1)) == (LARGEST, 0, None)
        assert other.slots_of(1, 10) == {LARGEST: LARGEST, 0: 0}
        assert len(other.slots_of(1, 1)) == 1
        assert (other.block_hash(9), other.block_hash(8)) == (LARGEST, None)


def test_a_killed_process_leaves_a_whole_cache(path: Path) -> None:
    """kill -9 in the middle of writing: what was kept before is there, and the next one can write."""
    program = (
        "import os, sys; from pathlib import Path; from simulator.chain.cache import StateCache\n"
        "cache = StateCache(Path(sys.argv[1]))\n"
        "cache.keep_slots([(1, 2, 3)])\n"
        "cache._connection.execute('BEGIN IMMEDIATE')\n"
        "cache._connection.execute('DELETE FROM slots')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    result = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert result.returncode == -9
    with closing(StateCache(path)) as cache:
        assert cache.slot(1, 2) == 3
        cache.keep_slots([(1, 3, 4)])
        assert cache.slots_of(1, 10) == {2: 3, 3: 4}


def test_a_broken_file_is_told_and_made_anew(path: Path) -> None:
    """With one line, and nothing of what it held."""
    path.parent.mkdir()
    path.write_bytes(b"no database at all" * 100)
    warnings: list[str] = []
    with closing(StateCache(path, warnings.append)) as cache:
        cache.keep_slots([(1, 2, 3)])
        cache.keep_accounts([(1, ACCOUNT)])
        assert (cache.slot(1, 2), cache.account(1), cache.slots_of(1, 9)) == (3, ACCOUNT, {2: 3})
    assert len(warnings) == 1
    assert "it is made anew" in warnings[0]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE slots SET value = x'09'",
        "UPDATE slots SET key = x'09'",
        "UPDATE slots SET value = 'text'",
        "UPDATE slots SET seal = NULL",
        "UPDATE accounts SET balance = x'09'",
        "UPDATE accounts SET seal = (SELECT seal FROM slots)",
        "UPDATE codes SET data = x'00'",
        "UPDATE hashes SET hash = x'09'",
    ],
)
def test_a_damaged_row_is_told_and_not_there(path: Path, damage: str) -> None:
    """It is fetched again, and then replaced. The others stay in use."""
    warnings: list[str] = []
    with closing(StateCache(path, warnings.append)) as cache:

        def keep() -> None:
            cache.keep_slots([(1, 2, 3)])
            cache.keep_accounts([(1, ACCOUNT)])
            cache.keep_block_hash(5, 6)

        def found() -> list[object]:
            return [cache.slot(1, 2), cache.slot(1, 9), cache.slots_of(1, 9), cache.account(1), cache.block_hash(5)]

        keep()
        assert found() == [3, None, {2: 3}, ACCOUNT, 6]
        assert cache._connection is not None
        cache._connection.execute(damage)
        after = found()
        assert len(warnings) == 1
        assert "damaged entries are not used" in warnings[0]
        assert all(
            value in (None, {}, right) for value, right in zip(after, [3, None, {2: 3}, ACCOUNT, 6], strict=True)
        )
        keep()
        assert cache.slot(1, 2) == 3
        assert (cache.account(1), cache.block_hash(5)) == (ACCOUNT, 6)
    assert len(warnings) == 1


def test_tables_of_another_format_are_replaced(path: Path) -> None:
    """As an earlier version left them: without seals."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE slots(address BLOB, key BLOB, value BLOB)")
        connection.execute("INSERT INTO slots VALUES (zeroblob(20), x'02', x'03')")
    with closing(StateCache(path, pytest.fail)) as cache:
        assert cache.slot(0, 2) is None
        cache.keep_slots([(0, 2, 4)])
        assert cache.slot(0, 2) == 4


def test_a_database_that_others_can_write_is_not_used(path: Path) -> None:
    """Nor one behind a link, nor one in a folder of somebody else's."""
    StateCache(path).close()
    for spoil in (lambda: path.chmod(0o666), lambda: (path.rename(path.parent / "x"), path.symlink_to("x"))):
        spoil()
        warnings: list[str] = []
        with closing(StateCache(path, warnings.append)) as cache:
            cache.keep_slots([(1, 2, 3)])
            assert cache.slot(1, 2) is None
        assert len(warnings) == 1
        assert "is not used" in warnings[0]


def test_the_folder_is_closed_to_other_users(path: Path) -> None:
    """Where it is this user's own."""
    path.parent.mkdir()
    path.parent.chmod(0o777)
    StateCache(path, pytest.fail).close()
    assert path.parent.stat().st_mode & 0o022 == 0


def test_a_full_cache_is_still_read(cache: StateCache) -> None:
    """Its size is bounded; beyond, nothing is kept, and nothing fails."""
    cache.keep_slots([(1, 1, 1)])
    assert cache._connection is not None
    cache._connection.execute("PRAGMA max_page_count=1")
    cache.keep_accounts([(1, ChainAccount(code=bytes(100_000)))])
    cache.keep_slots([(1, 2, 2)])
    assert cache.slots_of(1, 9) == {1: 1}
    assert cache.account(1) is None


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """As with a broken file."""
    (tmp_path / "file").write_text("")
    warnings: list[str] = []
    StateCache(tmp_path / "file" / "1.sqlite", warnings.append).close()
    assert len(warnings) == 1


def test_the_block_of_a_number_is_remembered_by_url(tmp_path: Path) -> None:
    """For campaigns while the node is away; another key is another URL."""
    mine, other = parse_endpoints("http://a/key1"), parse_endpoints("http://a/key2")
    remember_block(tmp_path, mine, block_at(5))
    assert recall_block(tmp_path, (*other, *mine), 5) == block_at(5)
    assert recall_block(tmp_path, mine, 6) is recall_block(tmp_path, other, 5) is None
    assert not any("key1" in file.name or b"key1" in file.read_bytes() for file in tmp_path.iterdir())
    next(tmp_path.glob("*.pin")).write_bytes(b"garbage")
    assert recall_block(tmp_path, mine, 5) is None


def test_a_block_of_the_same_number_has_another_database(tmp_path: Path) -> None:
    """As after a test chain was started anew. Databases of other blocks are listed, last used first."""
    paths = [database_path(tmp_path, block_at(5, 32 * bytes((n,)))) for n in (1, 2, 3)]
    assert len(set(paths)) == 3
    for age, path in enumerate(paths):
        path.write_text("")
        os.utime(path, (100 - age, 100 - age))
    (tmp_path / "10-5-00.sqlite").write_text("")
    assert list(sibling_databases(tmp_path, block_at(5, 32 * b"\2"))) == [paths[0], paths[2]]


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    """With the files beside it; what is wanted stays whatever its age."""
    paths = [tmp_path / f"1-{n}-00.sqlite" for n in range(4)]
    for age, path in enumerate(paths):
        path.write_bytes(bytes(100))
        path.with_name(path.name + "-wal").write_bytes(b"")
        os.utime(path, (100 - age, 100 - age))
    prune(tmp_path, paths[3], max_bytes=250)
    left = sorted(path.name for path in tmp_path.glob("*.sqlite"))
    assert left == [paths[0].name, paths[1].name, paths[3].name]
    assert not (tmp_path / (paths[2].name + "-wal")).exists()


def test_only_one_process_fetches_the_same_thing(tmp_path: Path) -> None:
    """Others wait for it, not for other things; the lock of a process that ends is free."""
    path = tmp_path / "lock"
    program = (
        "import sys; from pathlib import Path; from simulator.chain.single_flight import SingleFlight\n"
        "with SingleFlight(Path(sys.argv[1]), lambda _: None).only(b'slot'):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        waits: list[float] = []

        def wait(seconds: float) -> None:
            waits.append(seconds)
            holder.kill()
            holder.wait()

        with closing(SingleFlight(path, wait)) as flight:
            with flight.only(b"other"):
                assert waits == []
            with flight.only(b"slot"):
                assert len(waits) == 1


def test_without_a_lock_file_nothing_waits(tmp_path: Path) -> None:
    """Things are then fetched twice at worst."""
    (tmp_path / "file").write_text("")
    with closing(SingleFlight(tmp_path / "file" / "lock", lambda _: None)) as flight, flight.only(b"x"):
        pass
