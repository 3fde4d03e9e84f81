"""Places at which contracts and functions are declared in the sources of a project.

A function is looked for in the contract itself, then in its bases from the right, as Solidity does. What is not found
there, such as the getter of a variable, has no place: none is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.report.model import SourceLocation
from simulator.coverage.declarations import FunctionDeclaration
from simulator.coverage.source_text import SourceText
from simulator.project import Project, SourceFile

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SHORT_TYPES = {"uint": "uint256", "int": "int256", "byte": "bytes1"}
_MAX_BASES = 256


class DeclaredPlaces:
    """Scans a source when it is first asked about it. `target` is the `path:Name` of the fuzzed contract, which its
    name stands for even where other files use that name too."""

    def __init__(self, project: Project, target: str = "") -> None:
        self._target = target.rpartition(":")
        self._files: dict[str, SourceFile] = {}
        self._paths: dict[str, list[str]] = {}
        self._texts: dict[str, SourceText] = {}
        for unit in project.units:
            for source in unit.sources:
                self._files.setdefault(source.path, source)
            for contract in unit.contracts:
                paths = self._paths.setdefault(contract.name, [])
                if contract.path not in paths:
                    paths.append(contract.path)

    def function(self, contract: str, signature: str) -> SourceLocation | None:
        """The declaration of a function that this contract has. `contract` is a name or `path:Name`, `signature` is
        canonical or a bare name."""
        name, _, rest = signature.partition("(")
        types = tuple(filter(None, rest.removesuffix(")").split(","))) if rest else None
        for path, holder in self._holders(contract):
            text = self._text(path)
            found = [each for each in text.functions if each.contract == holder and each.name == name]
            if (best := _best(found, types)) is not None:
                line, column = text.lines.place(best.start)
                return SourceLocation(path, line, column)
        return None

    def contract(self, contract: str) -> SourceLocation | None:
        """The declaration of a contract."""
        path, name = self._path_of(contract)
        if path is None:
            return None
        text = self._text(path)
        found = re.search(rf"^[^\S\n]*(?:abstract\s+)?(?:contract|library)\s+{re.escape(name)}\b", text.content, re.M)
        start = len(text.content[: found.start()].encode("utf-8", "surrogateescape")) if found else 0
        return SourceLocation(path, *text.lines.place(start))

    def line_text(self, path: str, line: int) -> str:
        """A line of a source without the white space around it; empty where there is none."""
        return self._text(path).line_text(line) if path in self._files else ""

    def _path_of(self, contract: str) -> tuple[str | None, str]:
        path, _, name = contract.rpartition(":")
        if path:
            return (path if path in self._files else None), name
        if name == self._target[2] and self._target[0] in self._files:
            return self._target[0], name
        # A name that several files use says nothing.
        paths = self._paths.get(name, [])
        return (paths[0] if len(paths) == 1 and paths[0] in self._files else None), name

    def _holders(self, contract: str) -> Iterator[tuple[str, str]]:
        """The contract and its bases, each with its path, nearest first."""
        waiting, seen = [contract], set[str]()
        while waiting and len(seen) < _MAX_BASES:
            current = waiting.pop(0)
            path, name = self._path_of(current)
            if path is None or current in seen:
                continue
            seen.add(current)
            yield path, name
            waiting = [*reversed(self._bases(path, name)), *waiting]

    def _bases(self, path: str, name: str) -> list[str]:
        content = _COMMENT.sub(" ", self._text(path).content)
        header = re.search(rf"\bcontract\s+{re.escape(name)}\s+is\b([^{{]*)\{{", content)
        if header is None:
            return []
        plain = re.sub(r"\([^()]*\)", "", header[1])
        return [each.strip().rpartition(".")[2] for each in plain.split(",") if each.strip()]

    def _text(self, path: str) -> SourceText:
        if path not in self._texts:
            self._texts[path] = SourceText(self._files[path])
        return self._texts[path]


def _best(found: list[FunctionDeclaration], types: tuple[str, ...] | None) -> FunctionDeclaration | None:
    """The overload of these types; None where two could be meant."""
    if types is None or len(found) < 2:
        return found[0] if len(found) == 1 else None
    alike = [each for each in found if len(_types(each)) == len(types)]
    same = [each for each in alike if _types(each) == types]
    return same[0] if same else alike[0] if len(alike) == 1 else None


def _types(declaration: FunctionDeclaration) -> tuple[str, ...]:
    parts = [part.split() for part in declaration.parameters.split(",") if part.strip()]
    return tuple(_SHORT_TYPES.get(words[0], words[0]) for words in parts if words)
