"""Supported languages: file suffixes, and how each language is cut."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import PurePath

import tree_sitter

from tools.codebase.chunking import queries


class Language(StrEnum):
    """The languages of the published contract, then those of smart contracts."""

    CSHARP = "csharp"
    JAVA = "java"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    PYTHON = "python"
    SOLIDITY = "solidity"
    VYPER = "vyper"


_EXTENSIONS = {
    ".cs": Language.CSHARP,
    ".java": Language.JAVA,
    ".js": Language.JAVASCRIPT,
    ".jsx": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".cjs": Language.JAVASCRIPT,
    ".ts": Language.TYPESCRIPT,
    ".tsx": Language.TYPESCRIPT,
    ".mts": Language.TYPESCRIPT,
    ".cts": Language.TYPESCRIPT,
    ".py": Language.PYTHON,
    ".sol": Language.SOLIDITY,
    ".vy": Language.VYPER,
    ".vyi": Language.VYPER,
}


def language_of(path: str) -> Language | None:
    """The language of a file by its extension, None for what is not cut."""
    return _EXTENSIONS.get(PurePath(path).suffix.lower())


@dataclass(frozen=True, slots=True)
class Cutter:
    """A grammar with the query that finds its declarations. Parsers keep state, so each call makes its own."""

    language: tree_sitter.Language
    query: tree_sitter.Query

    def parse(self, source: bytes) -> tree_sitter.Node:
        return tree_sitter.Parser(self.language).parse(source).root_node


def cutter_of(language: Language, extension: str) -> Cutter | None:
    """Rules for cutting files of a language, None for Vyper, which has no grammar."""
    if language is Language.VYPER:
        return None
    return _cutter("tsx" if extension.lower() == ".tsx" else str(language))


@cache
def _cutter(name: str) -> Cutter:
    load, query = _GRAMMARS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # some grammars' packages give bare pointers
        language = tree_sitter.Language(load())
    return Cutter(language, tree_sitter.Query(language, query))


def _csharp() -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def _java() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


def _javascript() -> object:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def _typescript() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _tsx() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


def _python() -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


def _solidity() -> object:
    import tree_sitter_solidity

    return tree_sitter_solidity.language()


_GRAMMARS: dict[str, tuple[Callable[[], object], str]] = {
    "csharp": (_csharp, queries.CSHARP),
    "java": (_java, queries.JAVA),
    "javascript": (_javascript, queries.JAVASCRIPT),
    "typescript": (_typescript, queries.TYPESCRIPT),
    "tsx": (_tsx, queries.TYPESCRIPT),
    "python": (_python, queries.PYTHON),
    "solidity": (_solidity, queries.SOLIDITY),
}
