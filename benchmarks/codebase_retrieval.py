"""Quality of the search by meaning: mean reciprocal rank of the first answer among ten (MRR@10).

`python -m benchmarks.codebase_retrieval` fetches the packages of `codebase.queries` and `codebase.held_out` (pinned,
with pip and npm), indexes them together and prints a table; `--folder` uses wheels and tarballs that are there,
`--write PAGE` puts it into a page. Each question searches its own package. Plain BM25 is sqlite's over the words of the
chunks as they stand, without splitting, stemming or weights. `--neural minilm` and `--neural fastembed` add rows for a
neural model, with the time to index and to search, where it can be had.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from unittest import mock

import numpy as np

from benchmarks.codebase import held_out, queries
from benchmarks.codebase.queries import Question
from benchmarks.measuring.tables import markdown_table, write_between_markers
from tools.codebase import search
from tools.codebase.chunking.chunk import content_of, lines_of
from tools.codebase.chunking.cut import chunks_of
from tools.codebase.chunking.languages import language_of
from tools.codebase.memory import CodebaseMemory, embedder_of, open_memory
from tools.codebase.search import Query
from tools.codebase.terms import COMMON

DEEPEST = 10
RESAMPLES = 10_000
SEARCH = "both (the search)"
PLAIN = "plain BM25"
PYPI = {**queries.PACKAGES, **held_out.PYPI}
NPM = held_out.NPM
SETS: Mapping[str, Sequence[Question]] = {
    "chosen on": queries.QUERIES,
    "held out": held_out.QUESTIONS,
}
Ranking = Callable[[str, str], Sequence[str]]
Embedder = Literal["subwords", "minilm", "fastembed"]


def reciprocal_rank(found: Sequence[str], wanted: Sequence[str]) -> float:
    """1 / the place of the first answer among the first ten, 0 when there is none."""
    return next((1 / place for place, name in enumerate(found[:DEEPEST], 1) if name in wanted), 0.0)


def reciprocal_ranks(ranking: Ranking, questions: Sequence[Question]) -> list[float]:
    """One for each question."""
    return [reciprocal_rank(ranking(package, text), wanted) for package, text, wanted in questions]


class PlainBm25:
    """The baseline: chunks as documents, their text as it stands. `folder` holds a folder for each package."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE t USING fts5 (package UNINDEXED, name UNINDEXED, body)")
        for package in (*PYPI, *NPM):
            for path in sorted(path for path in (folder / package).rglob("*") if language_of(path.name)):
                text = path.read_text(encoding="utf-8")
                for chunk in chunks_of(path.name, text):
                    body = content_of(lines_of(text), chunk.start_line, chunk.end_line)
                    self._connection.execute("INSERT INTO t VALUES (?, ?, ?)", (package, chunk.name, body))

    def __call__(self, package: str, text: str) -> list[str]:
        words = [word for word in re.findall(r"\w+", text.lower()) if word not in COMMON]
        expression = " OR ".join(f'"{word}"' for word in words)
        query = "SELECT name FROM t WHERE t MATCH ? AND package = ? ORDER BY bm25(t), rowid LIMIT 10"
        return [row[0] for row in self._connection.execute(query, (expression, package))]


def searching(memory: CodebaseMemory, lexical_share: float) -> Ranking:
    """The memory's search with another share of BM25 in the score."""

    def rank(package: str, text: str) -> list[str]:
        with mock.patch.object(search, "LEXICAL_SHARE", lexical_share):
            found = search.CodeSearch(memory.store, memory.embedder, lambda: 0.0).find(
                Query(text, frozenset({package}), most=DEEPEST)
            )
        return [hit.chunk.chunk.name for hit in found.hits]

    return rank


def fetched(folder: Path) -> Path:
    """The packages as pip and npm give them, in `folder`."""
    wheels = [f"{name}=={version}" for name, version in PYPI.items()]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*pip, "--dest", str(folder), *wheels], check=True)
    tarballs = [f"{name}@{version}" for name, version in NPM.items()]
    npm = ["npm", "pack", "--silent", "--pack-destination", str(folder)]
    subprocess.run([*npm, *tarballs], check=True, stdout=subprocess.DEVNULL)
    return folder


def unpacked(archives: Path, folder: Path) -> None:
    """Each package as a folder of its name below `folder`."""
    for wheel in archives.glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(folder)
    for name, version in NPM.items():
        with tarfile.open(archives / f"{name}-{version}.tgz") as tarball:
            tarball.extractall(folder, filter="data")
        (folder / "package").rename(folder / name)


def indexed(folder: Path, embedder: Embedder) -> CodebaseMemory:
    memory = open_memory(folder / f"{embedder}.sqlite", embedder_of(embedder))
    for package in (*PYPI, *NPM):
        memory.ingest(folder / package, package, lambda *_: None, lambda: False)
    return memory


@dataclass(frozen=True)
class Comparison:
    """The reciprocal ranks of each ranking, for the questions of each set, in their order."""

    ranks: Mapping[str, Mapping[str, Sequence[float]]]
    times: Sequence[str] = ()
    """Sentences on how long indexing and searching took."""

    def table(self) -> list[str]:
        packages = [*PYPI, *NPM]
        header = ["ranking", *packages, *(f"{name} ({len(questions)})" for name, questions in SETS.items())]
        rows = [[ranking, *self._by_package(of), *self._by_set(of)] for ranking, of in self.ranks.items()]
        return markdown_table(header, rows)

    def gains(self) -> list[str]:
        """Return the gains over the other rankings, with intervals by paired resampling of the questions."""
        return [
            f"* {name}: the search against {other}: {_gain(self.ranks[SEARCH][name], self.ranks[other][name])}"
            for name in SETS
            for other in self.ranks
            if other != SEARCH
        ]

    def _by_package(self, of: Mapping[str, Sequence[float]]) -> list[str]:
        pairs = [(q[0], rank) for name, questions in SETS.items() for q, rank in zip(questions, of[name], strict=True)]
        return [_mean([rank for package, rank in pairs if package == wanted]) for wanted in (*PYPI, *NPM)]

    def _by_set(self, of: Mapping[str, Sequence[float]]) -> list[str]:
        return [_mean(of[name]) for name in SETS]


def timed(folder: Path, embedder: Embedder) -> tuple[CodebaseMemory, str]:
    """The memory of the packages, and a sentence on how long it takes."""
    began = time.perf_counter()
    memory = indexed(folder, embedder)
    indexing = time.perf_counter() - began
    ranking = searching(memory, search.LEXICAL_SHARE)
    taken = []
    for package, text, _ in held_out.QUESTIONS:
        began = time.perf_counter()
        ranking(package, text)
        taken.append(time.perf_counter() - began)
    p95 = sorted(taken)[int(0.95 * len(taken))]
    chunks = sum(each.chunk_count for each in memory.codebases())
    return (
        memory,
        f"* {embedder}: {chunks:,} chunks indexed in {indexing:.1f} s; a search takes {1000 * p95:.0f} ms (p95)",
    )


def compared(folder: Path, neural: Embedder | None) -> Comparison:
    """`folder` holds the unpacked packages."""
    memory, told = timed(folder, "subwords")
    times = [told]
    rankings: dict[str, Ranking] = {
        PLAIN: PlainBm25(folder),
        "BM25 over split, stemmed words, weighted": searching(memory, 1.0),
        "subword vectors": searching(memory, 0.0),
        SEARCH: searching(memory, search.LEXICAL_SHARE),
    }
    if neural is not None:
        other, told = timed(folder, neural)
        times.append(told)
        rankings["neural vectors"] = searching(other, 0.0)
        rankings["BM25 and neural vectors"] = searching(other, search.LEXICAL_SHARE)
    return Comparison(
        {
            name: {of: reciprocal_ranks(ranking, questions) for of, questions in SETS.items()}
            for name, ranking in rankings.items()
        },
        times,
    )


def _gain(ours: Sequence[float], theirs: Sequence[float]) -> str:
    differences = np.array(ours) - np.array(theirs)
    drawn = np.random.default_rng(1).choice(differences, (RESAMPLES, len(differences))).mean(axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return f"{differences.mean():+.3f} (95 % interval {low:+.3f} to {high:+.3f})"


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the wheels and tarballs are")
    parser.add_argument("--neural", choices=["minilm", "fastembed"], help="also measure a neural model")
    parser.add_argument("--write", type=Path, help="the page that gets the table")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sources = folder / "sources"
        sources.mkdir()
        unpacked(arguments.folder or fetched(folder), sources)
        comparison = compared(sources, arguments.neural)
    lines = [*comparison.table(), "", *comparison.gains(), *comparison.times]
    print(*lines, sep="\n")
    if arguments.write:
        write_between_markers(arguments.write, "codebase_retrieval", lines)


if __name__ == "__main__":
    main()
