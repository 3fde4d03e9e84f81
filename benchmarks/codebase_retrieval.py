"""How well the search finds what is asked for: mean reciprocal rank of the first answer among ten (MRR@10).

`python -m benchmarks.codebase_retrieval` downloads the two packages of `codebase_queries` (pinned, with pip), indexes
them and prints a table; `--folder` uses wheels that are there. Each question searches its own package. Plain BM25 is
sqlite's over the words of the chunks as they stand, without splitting, stemming or weights.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

from benchmarks.codebase_queries import PACKAGES, QUERIES
from tools.codebase import search
from tools.codebase.chunking.chunk import content_of, lines_of
from tools.codebase.chunking.cut import chunks_of
from tools.codebase.memory import CodebaseMemory, open_memory
from tools.codebase.search import Query
from tools.codebase.terms import COMMON

DEEPEST = 10
Ranking = Callable[[str, str], Sequence[str]]


def reciprocal_rank(found: Sequence[str], wanted: Sequence[str]) -> float:
    """1 / the place of the first answer among the first ten, 0 when there is none."""
    return next((1 / place for place, name in enumerate(found[:DEEPEST], 1) if name in wanted), 0.0)


def mean_reciprocal_rank(ranking: Ranking, package: str) -> float:
    questions = [(text, wanted) for name, text, wanted in QUERIES if name == package]
    return sum(reciprocal_rank(ranking(package, text), wanted) for text, wanted in questions) / len(questions)


class PlainBm25:
    """The baseline: chunks as documents, their text as it stands."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE t USING fts5 (package UNINDEXED, name UNINDEXED, body)")
        for package in PACKAGES:
            for path in sorted((folder / package).rglob("*.py")):
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
            found = search.Search(memory.store, memory.embedder, lambda: 0.0).find(Query(text, package, most=DEEPEST))
        return [hit.chunk.chunk.name for hit in found.hits]

    return rank


def fetched(folder: Path) -> Path:
    """The packages as pip gives them, below `folder`."""
    names = [f"{name}=={version}" for name, version in PACKAGES.items()]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), *names], check=True)
    return folder


def table(folder: Path) -> str:
    with tempfile.TemporaryDirectory() as temporary:
        unpacked = Path(temporary)
        for wheel in folder.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(unpacked)
        memory = open_memory(unpacked / "memory.sqlite")
        for package in PACKAGES:
            memory.ingest(unpacked / package, package, lambda *_: None, lambda: False)
        share = search.LEXICAL_SHARE
        rankings: dict[str, Callable[[str, str], Sequence[str]]] = {
            "plain BM25": PlainBm25(unpacked),
            "BM25 over split, stemmed words, weighted": searching(memory, 1.0),
            "subword vectors": searching(memory, 0.0),
            "both (the search)": searching(memory, share),
        }
        lines = [f"| ranking | {' | '.join(PACKAGES)} | all {len(QUERIES)} questions |", "|---|---|---|---|"]
        for name, ranking in rankings.items():
            scores = [mean_reciprocal_rank(ranking, package) for package in PACKAGES]
            counts = [sum(package == each[0] for each in QUERIES) for package in PACKAGES]
            total = sum(score * count for score, count in zip(scores, counts, strict=True)) / sum(counts)
            lines.append(f"| {name} | {' | '.join(f'{score:.3f}' for score in scores)} | {total:.3f} |")
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the two wheels are")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        print(table(arguments.folder or fetched(Path(temporary))))


if __name__ == "__main__":
    main()
