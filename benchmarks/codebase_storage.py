"""Choice of the embedded database for the codebase memory: index time, search p95 and size on disk, at 100,000 chunks.

`python -m benchmarks.codebase_storage` prints the table of docs/decisions/0005. The chunks are those of a folder of
Python code (`--source`, by default this environment's packages), repeated with changed words until there are enough.
Every candidate gets the same words and vectors, and answers the same questions by the same kind of search: BM25 and
vectors, the best fifty. sqlite-vec, LanceDB and DuckDB are measured where they are installed
(`pip install apsw sqlite-vec lancedb duckdb`).
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchmarks.codebase.queries import QUERIES
from benchmarks.measuring.tables import markdown_table
from tools.codebase.chunking.chunk import Chunk, ChunkType, lines_of
from tools.codebase.chunking.cut import chunks_of
from tools.codebase.embedding import SubwordEmbedder, Vector
from tools.codebase.search import CodeSearch, Query
from tools.codebase.storage.records import IndexedFile
from tools.codebase.storage.sqlite_store import SqliteStore
from tools.codebase.terms import Terms, query_words, terms_of

QUESTIONS = [text for _, text, _ in QUERIES]
BEST = 50
PER_FILE = 20


@dataclass(frozen=True)
class Corpus:
    """`bodies` are the words of each chunk, joined; `vectors` a row for each."""

    terms: list[Terms]
    bodies: list[str]
    vectors: Vector


class Candidate(Protocol):
    def fill(self, corpus: Corpus) -> None: ...

    def ask(self, words: Sequence[str], vector: Vector) -> object: ...


def corpus_of(source: Path, count: int) -> Corpus:
    """So many chunks; where the source has fewer, it is repeated with one word changed in each chunk."""
    found: list[Terms] = []
    for path in sorted(source.rglob("*.py")):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if len(text) < 500_000:
            found += terms_of(path.name, lines_of(text), chunks_of(path.name, text))
        if len(found) >= min(count, 20_000):
            break
    distinct = found[: min(count, 20_000)]
    vectors = SubwordEmbedder().embed_chunks(distinct)
    rounds = -(-count // len(distinct))
    terms = [
        Terms(each.name, each.path, (*each.body, f"round{number}")) for number in range(rounds) for each in distinct
    ][:count]
    noise = np.random.default_rng(1).normal(0, 0.01, (count, vectors.shape[1])).astype(np.float32)
    repeated = np.tile(vectors, (rounds, 1))[:count] + noise
    repeated /= np.linalg.norm(repeated, axis=1, keepdims=True)
    return Corpus(terms, [" ".join((*each.name, *each.path, *each.body)) for each in terms], repeated)


class OwnStore:
    """sqlite with FTS5, vectors as bytes, numpy for the products: what the program uses, with its whole search."""

    def __init__(self, folder: Path) -> None:
        self._store = SqliteStore(folder / "own.sqlite", lambda: "2026-01-01T00:00:00Z")
        self._search = CodeSearch(self._store, SubwordEmbedder(), lambda: 0.0)
        self._root = folder

    def fill(self, corpus: Corpus) -> None:
        with self._store.writing("p", self._root, SubwordEmbedder.identity) as writer:
            for number, start in enumerate(range(0, len(corpus.terms), PER_FILE)):
                terms = corpus.terms[start : start + PER_FILE]
                chunks = [Chunk(f"chunk{each}", ChunkType.FUNCTION, 1, 1) for each in range(len(terms))]
                vectors = corpus.vectors[start : start + PER_FILE]
                text = "\n".join(corpus.bodies[start : start + PER_FILE])
                writer.put(IndexedFile(f"{number}.py", "python", b"", text, chunks, terms, vectors))

    def ask(self, words: Sequence[str], vector: Vector) -> object:
        return self._search.find(Query(" ".join(words), most=BEST))


class SqliteVec:
    """FTS5 and the extension sqlite-vec, through apsw: Python's own sqlite3 often cannot load extensions."""

    def __init__(self, folder: Path) -> None:
        import apsw
        import sqlite_vec

        self._connection = apsw.Connection(str(folder / "vec.sqlite"))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("CREATE VIRTUAL TABLE t USING fts5 (body, tokenize='porter unicode61')")
        self._connection.execute("CREATE VIRTUAL TABLE v USING vec0 (e float[256] distance_metric=cosine)")

    def fill(self, corpus: Corpus) -> None:
        with self._connection:
            self._connection.executemany("INSERT INTO t (rowid, body) VALUES (?, ?)", enumerate(corpus.bodies, 1))
            rows = ((number, row.tobytes()) for number, row in enumerate(corpus.vectors, 1))
            self._connection.executemany("INSERT INTO v (rowid, e) VALUES (?, ?)", rows)

    def ask(self, words: Sequence[str], vector: Vector) -> object:
        lexical = "SELECT rowid, bm25(t) FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?"
        nearest = "SELECT rowid, distance FROM v WHERE e MATCH ? AND k = ?"
        expression = " OR ".join(f'"{word}"' for word in words)
        return [
            *self._connection.execute(lexical, (expression, BEST)),
            *self._connection.execute(nearest, (vector.tobytes(), BEST)),
        ]


class Lance:
    """LanceDB with its own full-text index, vectors without an index: an exact answer, as all the others give."""

    def __init__(self, folder: Path) -> None:
        import lancedb

        self._database = lancedb.connect(folder / "lance")
        self._table: Any = None

    def fill(self, corpus: Corpus) -> None:
        import pyarrow

        values = pyarrow.array(corpus.vectors.reshape(-1))
        vectors = pyarrow.FixedSizeListArray.from_arrays(values, 256)
        table = pyarrow.table({"body": corpus.bodies, "vector": vectors})
        self._table = self._database.create_table("t", table)
        self._table.create_fts_index("body")

    def ask(self, words: Sequence[str], vector: Vector) -> object:
        lexical = self._table.search(" ".join(words), query_type="fts").select(["_score"]).limit(BEST).to_arrow()
        nearest = self._table.search(vector).distance_type("cosine").select(["_distance"]).limit(BEST).to_arrow()
        return lexical, nearest


class Duck:
    """DuckDB: vectors only, since its full-text search is an extension that is downloaded at the first use."""

    def __init__(self, folder: Path) -> None:
        import duckdb

        self._connection = duckdb.connect(str(folder / "duck.db"))
        self._connection.execute("CREATE TABLE t (id INTEGER, body VARCHAR, e FLOAT[256])")

    def fill(self, corpus: Corpus) -> None:
        import pyarrow

        vectors = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(corpus.vectors.reshape(-1)), 256)
        rows = pyarrow.table({"id": list(range(len(corpus.bodies))), "body": corpus.bodies, "e": vectors})
        self._connection.register("rows", rows)
        self._connection.execute("INSERT INTO t SELECT * FROM rows")
        self._connection.execute("CHECKPOINT")

    def ask(self, words: Sequence[str], vector: Vector) -> object:
        query = "SELECT id FROM t ORDER BY array_cosine_similarity(e, ?::FLOAT[256]) DESC LIMIT ?"
        return self._connection.execute(query, [vector.tolist(), BEST]).fetchall()


CANDIDATES: dict[str, Callable[[Path], Candidate]] = {
    "sqlite, FTS5 and numpy": OwnStore,
    "sqlite, FTS5 and sqlite-vec": SqliteVec,
    "LanceDB": Lance,
    "DuckDB (vectors only)": Duck,
}


def measured(make: Callable[[Path], Candidate], corpus: Corpus) -> list[str]:
    """Index time, first search, median and 95th percentile of the others, size."""
    embedder = SubwordEmbedder()
    asked = [
        (words, embedder.embed_query(words, text, lambda _: 1.0)) for text in QUESTIONS if (words := query_words(text))
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        candidate = make(folder)
        began = time.perf_counter()
        candidate.fill(corpus)
        filled = time.perf_counter() - began
        times = []
        for words, vector in asked:
            began = time.perf_counter()
            candidate.ask(words, vector)
            times.append((time.perf_counter() - began) * 1000)
        size = sum(each.stat().st_size for each in _files(folder))
    first, *others = times
    p50, p95 = np.percentile(others, (50, 95))
    return [f"{filled:.1f} s", f"{first:.0f} ms", f"{p50:.0f} ms", f"{p95:.0f} ms", f"{size / 2**20:.0f} MiB"]


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--source", type=Path, default=Path(np.__file__).parents[1])
    arguments = parser.parse_args()
    corpus = corpus_of(arguments.source, arguments.chunks)
    rows = []
    for name, make in CANDIDATES.items():
        try:
            rows.append([name, *measured(make, corpus)])
        except ImportError as error:
            rows.append([name, f"not installed: {error.name}", "", "", "", ""])
    print(*markdown_table(["candidate", "index", "first search", "median", "p95", "size"], rows), sep="\n")
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"\n{arguments.chunks} chunks, sqlite {sqlite3.sqlite_version}, load {load} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
