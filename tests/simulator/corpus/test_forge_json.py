"""forge's corpus files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from simulator.abi.contract import ContractAbi
from simulator.corpus.forge_json import forge_file_name, forge_tests, parse_forge_sequence, render_forge_sequence
from simulator.corpus.store import CorpusStore, Folder, load_corpus
from simulator.errors import CorpusError
from simulator.transaction import Transaction

SENDER, TARGET = b"\1" * 20, b"\2" * 20
CALL = {"sender": "0x" + "01" * 20, "target": "0x" + "02" * 20, "calldata": "0x1234"}
ABI = ContractAbi.from_json(
    [
        {"type": "function", "name": "testFuzz_a", "inputs": [{"name": "x", "type": "uint256"}]},
        {"type": "function", "name": "test_b", "inputs": []},
        {"type": "function", "name": "invariant_c", "inputs": []},
        {"type": "function", "name": "statefulFuzz_d", "inputs": []},
    ]
)
FUZZ, PLAIN = ABI.functions[0].selector, ABI.functions[1].selector


def content(*calls: object) -> bytes:
    return json.dumps(calls).encode()


def test_calls_are_read_with_their_delays_and_values() -> None:
    """`warp` and `roll` are null or missing where nothing passes."""
    calls = content(CALL | {"warp": "0x5", "roll": 7, "value": "0x10"}, CALL | {"warp": None})
    assert parse_forge_sequence(calls, "f") == (
        Transaction(SENDER, TARGET, b"\x12\x34", b"\x10", 5, 7),
        Transaction(SENDER, TARGET, b"\x12\x34"),
    )
    assert parse_forge_sequence(gzip.compress(calls), "f") == parse_forge_sequence(calls, "f")


def test_a_failed_invariant_is_read() -> None:
    """forge's cache calls the target `addr`."""
    call = {"sender": CALL["sender"], "addr": CALL["target"], "calldata": "0x1234", "warp": None, "args": "1"}
    document = {"call_sequence": [call], "settings": {}, "assertion_failure": False}
    assert parse_forge_sequence(json.dumps(document).encode(), "f")[0].to == TARGET


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"{}", "f: must be a JSON array"),
        (b"nothing", "f: not JSON"),
        (content(1), "f: call 1: must be an object"),
        (content(CALL | {"target": None}), "f: call 1: target: must be 0x and 40 hex digits"),
        (content(CALL | {"warp": "0x" + "f" * 17}), "f: call 1: warp: must be"),
        (b"\x1f\x8bnothing", "f: not gzip"),
    ],
)
def test_malformed_files_are_refused_with_their_place(bad: bytes, message: str) -> None:
    """The error names file, call and field."""
    with pytest.raises(CorpusError, match=message):
        parse_forge_sequence(bad, "f")


def test_a_small_file_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compressed zeros are cut off."""
    monkeypatch.setattr("simulator.corpus.forge_json.MAX_SIZE", 1000)
    with pytest.raises(CorpusError, match="over 1000 bytes"):
        parse_forge_sequence(gzip.compress(bytes(100_000)), "f")


def test_what_is_written_is_read_back() -> None:
    """Waits join the delay of the next call."""
    wait = Transaction(SENDER, b"", seconds=3, blocks=1)
    call = Transaction(SENDER, TARGET, b"\x12\x34", b"\x10", 5, 7)
    assert parse_forge_sequence(render_forge_sequence((wait, call)), "f") == (
        Transaction(SENDER, TARGET, b"\x12\x34", b"\x10", 8, 8),
    )


@pytest.mark.parametrize(
    ("selector", "tests"),
    [
        (FUZZ, ("testFuzz_a",)),
        (PLAIN, ("invariant_c", "statefulFuzz_d")),
        (b"abcd", ("invariant_c", "statefulFuzz_d")),
    ],
)
def test_a_sequence_belongs_to_the_fuzz_test_it_calls_or_to_all_invariants(
    selector: bytes, tests: tuple[str, ...]
) -> None:
    """forge keeps a corpus for each."""
    assert forge_tests((Transaction(SENDER, TARGET, selector),), ABI) == tests


def test_a_corpus_in_forges_format_is_read_again(tmp_path: Path) -> None:
    """Each sequence once, in whatever folders it stands; what forge has no folder for is written as Echidna's."""
    store = CorpusStore(tmp_path, lambda _: ABI, "forge", ("T", TARGET))
    sequence = (Transaction(SENDER, TARGET, b"abcd"),)
    store.save(Folder.COVERAGE, sequence)
    store.save(Folder.UNSHRUNK, sequence)
    name = forge_file_name(sequence)
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*") if path.is_file())
    assert written[:2] == [f"T/{test}/{name}" for test in ("invariant_c", "statefulFuzz_d")]
    assert written[2].startswith("reproducers-unshrunk/")
    entries, problems = load_corpus(tmp_path)
    assert ([entry.sequence for entry in entries], problems) == ([sequence], [])


def test_what_a_run_of_forge_found_is_read_too(tmp_path: Path) -> None:
    """Its workers have folders of their own. Other files in the tree are nobody's sequences."""
    folder = tmp_path / "T" / "invariant_c" / "worker1" / "corpus"
    folder.mkdir(parents=True)
    (folder / "330a8978-920e-41fb-95a5-556195d862b1-1795381799.json.gz").write_bytes(gzip.compress(content(CALL)))
    (folder.parents[1] / "metadata.json").write_bytes(b"{}")
    entries, problems = load_corpus(tmp_path)
    assert ([len(entry.sequence) for entry in entries], problems) == ([1], [])


def test_links_in_a_corpus_are_not_followed(tmp_path: Path) -> None:
    """A project's folder may hold one that leads anywhere."""
    outside = tmp_path / "outside" / "test" / "worker0" / "corpus"
    outside.mkdir(parents=True)
    (outside / "330a8978-920e-41fb-95a5-556195d862b1-1.json").write_bytes(content(CALL))
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "T").symlink_to(tmp_path / "outside")
    assert load_corpus(tmp_path / "corpus") == ([], [])
