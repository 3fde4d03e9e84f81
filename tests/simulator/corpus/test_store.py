"""The corpus folder on disk."""

from __future__ import annotations

import json
import os
from pathlib import Path
from uuid import UUID

import pytest

from simulator.corpus import store
from simulator.corpus.identity import sequence_hash
from simulator.corpus.store import CorpusStore, Folder, load_corpus, write_new
from simulator.errors import CorpusError
from simulator.transaction import Sequence, Transaction

TARGET, SENDER = b"\x01" * 20, b"\x02" * 20


def sequence(number: int) -> Sequence:
    return (Transaction(sender=SENDER, to=TARGET, data=number.to_bytes(4, "big")),)


def open_store(root: Path) -> CorpusStore:
    return CorpusStore(root, lambda _: None)


def test_saved_sequences_are_loaded_reproducers_first(tmp_path: Path) -> None:
    """Unshrunk reproducers and optimizations are kept on disk but not replayed, as in Echidna."""
    corpus = open_store(tmp_path / "new" / "corpus")
    for number, folder in enumerate(
        (Folder.COVERAGE, Folder.REPRODUCERS, Folder.UNSHRUNK, Folder.OPTIMIZATIONS), start=1
    ):
        path = corpus.save(folder, sequence(number))
        assert path.parent.name == folder.value
        assert path.stem == sequence_hash(sequence(number))
    entries, problems = load_corpus(corpus.root)
    assert [(entry.folder, entry.sequence) for entry in entries] == [
        (Folder.REPRODUCERS, sequence(2)),
        (Folder.COVERAGE, sequence(1)),
    ]
    assert problems == []


def test_a_missing_folder_is_an_empty_corpus(tmp_path: Path) -> None:
    """There is nothing to complain about."""
    assert load_corpus(tmp_path / "none") == ([], [])


def test_the_hash_depends_on_content_alone() -> None:
    """The value is part of the format: corpora made by different versions share names."""
    assert sequence_hash(sequence(1)) == "0618eef93ee6b23fce33bddcdb67acb3"
    assert sequence_hash(sequence(1)) != sequence_hash(sequence(2))


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    """Saving again leaves what stands there, even when somebody edited it."""
    corpus = open_store(tmp_path)
    path = corpus.save(Folder.COVERAGE, sequence(1))
    path.write_text("edited")
    assert corpus.save(Folder.COVERAGE, sequence(1)) == path
    write_new(path, b"other")
    assert path.read_text() == "edited"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_files_that_do_not_parse_are_reported_and_left_alone(tmp_path: Path) -> None:
    """Everything else is loaded."""
    corpus = open_store(tmp_path)
    good = corpus.save(Folder.COVERAGE, sequence(1))
    bad = good.with_name("0bad.txt")
    bad.write_bytes(b"[{}")
    entries, problems = load_corpus(tmp_path)
    assert [entry.path for entry in entries] == [good]
    assert [problem.path for problem in problems] == [bad]
    assert problems[0].message.startswith("coverage/0bad.txt: not JSON")
    assert bad.read_bytes() == b"[{}"


def test_the_same_sequence_in_two_files_is_one_entry(tmp_path: Path) -> None:
    """The reproducer wins over the coverage entry."""
    corpus = open_store(tmp_path)
    corpus.save(Folder.COVERAGE, sequence(1))
    corpus.save(Folder.REPRODUCERS, sequence(1))
    entries, _ = load_corpus(tmp_path)
    assert [entry.folder for entry in entries] == [Folder.REPRODUCERS]


def test_links_pipes_and_big_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is followed, waited for or read to the end."""
    folder = tmp_path / "corpus" / "coverage"
    folder.mkdir(parents=True)
    outside = tmp_path / "outside.txt"
    outside.write_text("[]")
    (folder / "link.txt").symlink_to(outside)
    (folder / "big.txt").write_bytes(b" " * 2000)
    (folder / "folder.txt").mkdir()
    os.mkfifo(folder / "pipe.txt")
    monkeypatch.setattr(store, "MAX_FILE_SIZE", 1000)
    entries, problems = load_corpus(tmp_path / "corpus")
    assert entries == []
    assert [problem.path.name for problem in problems] == ["big.txt", "folder.txt", "link.txt", "pipe.txt"]


def test_hidden_and_foreign_files_are_no_corpus(tmp_path: Path) -> None:
    """What a killed writer left behind, and files of other kinds, are ignored."""
    folder = tmp_path / "coverage"
    folder.mkdir()
    for name in (".new-abc", ".hidden.txt", "notes.md"):
        (folder / name).write_text("x")
    assert load_corpus(tmp_path) == ([], [])


def test_a_disk_that_refuses_is_a_corpus_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the file, and nothing half-written stays."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CorpusError, match=r"coverage/.*: cannot be written: No space left on device"):
        open_store(tmp_path).save(Folder.COVERAGE, sequence(1))
    assert list((tmp_path / "coverage").iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_a_corpus_error(tmp_path: Path) -> None:
    """A path that cannot become a folder is named."""
    (tmp_path / "corpus").write_text("")
    with pytest.raises(CorpusError, match="cannot be written"):
        open_store(tmp_path / "corpus").save(Folder.COVERAGE, sequence(1))


def test_file_systems_without_hard_links_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is renamed into place instead."""

    def unsupported(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", unsupported)
    path = open_store(tmp_path).save(Folder.COVERAGE, sequence(1))
    assert json.loads(path.read_bytes())[0]["gas"] == 12_500_000
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_medusa_sequences_are_loaded_too(tmp_path: Path) -> None:
    """Its current and its old layout, failing sequences first."""
    call = {"from": "0x" + SENDER.hex(), "to": "0x" + TARGET.hex(), "value": "0x0", "gasLimit": 12_500_000}
    for number, folder in enumerate(("call_sequences", "call_sequences/immutable", "test_results"), start=1):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        node = {"call": call | {"data": f"0x{number:08x}"}, "blockNumberDelay": 0, "blockTimestampDelay": 0}
        (tmp_path / folder / "a.json").write_text(json.dumps([node]))
    entries, problems = load_corpus(tmp_path)
    assert problems == []
    assert [entry.sequence for entry in entries] == [sequence(3), sequence(1), sequence(2)]


def test_a_corpus_in_medusas_format_is_read_again(tmp_path: Path) -> None:
    """Its folders hold coverage and failures; the names are UUIDs."""
    corpus = CorpusStore(tmp_path, lambda _: None, "medusa")
    paths = [
        corpus.save(folder, sequence(number)) for number, folder in enumerate((Folder.COVERAGE, Folder.REPRODUCERS))
    ]
    assert [path.parent.name for path in paths] == ["call_sequences", "test_results"]
    assert all(str(UUID(path.stem)) == path.stem for path in paths)
    entries, _ = load_corpus(tmp_path)
    assert [(entry.folder, entry.sequence) for entry in entries] == [
        (Folder.MEDUSA_RESULTS, sequence(1)),
        (Folder.MEDUSA_SEQUENCES, sequence(0)),
    ]


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    """Question marks and brackets are no patterns."""
    corpus = open_store(tmp_path / "a?[b]*" / "#%3f")
    corpus.save(Folder.COVERAGE, sequence(1))
    assert [entry.sequence for entry in load_corpus(corpus.root)[0]] == [sequence(1)]
