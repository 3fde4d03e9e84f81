"""Lines of the sources as the health of a campaign looks at them: functions, comparisons, assertions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount

_SILENT = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
_COMPARISON = re.compile(r"(?<![<>])[=!<>]=|(?<![<=>-])[<>](?![<>=])")
_CALLED = re.compile(r"\breturn\s*\(?\s*!?\s*[A-Za-z_$][\w$.]*\s*\(")
_ASSERTION = re.compile(r"(?<![\w$.])assert\w*\s*\(\s*(?P<first>\w*)")
_SHORT_ASSERTION = re.compile(r"(?<![\w$.])(?:t|eq|neq|gt|gte|lt|lte)\s*\(\s*(?P<first>\w*)")
_SHORT_ASSERTIONS_OF = re.compile(r"\bcontract\s+Asserts\b")
_FAILS_ASSERTION = re.compile(r"(?<![\w$.])(?:assert\w*|fail|invalid|t|eq|neq|gt|gte|lt|lte)\s*\(|\bAssertionFailed\b")
_LOOP = re.compile(r"\b(?:for|while)\s*\(")
_ELSE = re.compile(r"\belse\b")
_CONDITION = re.compile(r"\bif\s*\(")
_RETURN = re.compile(r"\breturn\b(?P<value>[^;]*);")
_CATCH = re.compile(r"\bcatch\b")
_DECLARED = re.compile(r"\b(?:function|modifier|event|error)\s+$")


@dataclass(frozen=True)
class FunctionPlace:
    """A function in its file."""

    file: FileCoverage
    function: FunctionCount

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def line(self) -> int:
        return self.function.line

    @property
    def reached(self) -> bool:
        """Return whether its body was ever entered."""
        return self.function.count > 0


class SourceIndex:
    """Looks into the files of a coverage report."""

    def __init__(self, files: Iterable[FileCoverage]) -> None:
        self._files = tuple(files)
        self._code: dict[str, list[str]] = {}
        self._texts = {file.path: file.content.split("\n") for file in self._files}
        self._conditions = {file.path: _conditions_by_line(file) for file in self._files}
        self._counts = {file.path: {line.line: line for line in file.lines} for file in self._files}
        self._places: dict[str, list[tuple[str, FunctionPlace]]] = {}
        for file in self._files:
            for function in file.functions:
                contract, name = _parts(function.name)
                self._places.setdefault(name, []).append((contract, FunctionPlace(file, function)))

    def function(self, contract: str, name: str) -> FunctionPlace | None:
        """The function of that contract, or the only one of that name, which it then inherits; None where that is not
        clear."""
        found = self._places.get(name, [])
        own = [place for owner, place in found if owner == contract]
        candidates = own or [place for _, place in found]
        return candidates[0] if len(candidates) == 1 else None

    def line_text(self, path: str, line: int) -> str:
        """A line without the white space around it, empty where there is none."""
        lines = self._texts.get(path, [])
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def verdicts(self, place: FunctionPlace) -> list[LineCount]:
        """Lines of a function that its outcome hangs on: comparisons, assertions, a `return` of what it calls. Headers
        of loops are none, and no conditions under which it leaves content."""
        code = self._lines(place.file)
        found = []
        for number in range(place.function.line, min(place.function.end_line, len(code)) + 1):
            text = code[number - 1]
            if _LOOP.search(text) or _is_guard(code[number - 1 : number + 2]):
                continue
            is_verdict = _COMPARISON.search(text) or _CALLED.search(text) or _is_asserting(text)
            if is_verdict and (count := self._count_at(place, number)) is not None:
                found.append(count)
        return found

    def asserts_anything(self) -> bool:
        """Return whether any function holds something that fails an assertion. What is not Solidity counts as if it
        did."""
        return any(
            not file.path.endswith(".sol") or any(_FAILS_ASSERTION.search(line) for line in self._lines(file))
            for file in self._files
        )

    def mentions(self, place: FunctionPlace, words: Iterable[str]) -> bool:
        """Return whether the function's text has one of these words."""
        text = "\n".join(self._lines(place.file)[place.function.line - 1 : place.function.end_line])
        return any(word in text for word in words)

    def assertions(self, place: FunctionPlace, *, short: bool) -> Iterator[LineCount]:
        """Lines of a function that hold assertions. Left out is what should not be reached: those of `false`, and those
        of `catch` blocks. With `short`, `t`, `eq` and the like are assertions too."""
        code = self._lines(place.file)
        caught = _caught_lines(code, place.function.line, place.function.end_line)
        counts = self._counts[place.path]
        for number in range(place.function.line, min(place.function.end_line, len(code)) + 1):
            if number in caught:
                continue
            text = code[number - 1]
            found = _assertion_in(text, short=short)
            if found and found["first"] != "false" and number in counts:
                is_missed = self._is_behind_false(place, number, text[: found.start()])
                yield msgspec.structs.replace(counts[number], count=0) if is_missed else counts[number]

    def functions(self) -> Iterator[FunctionPlace]:
        for file in self._files:
            for function in file.functions:
                yield FunctionPlace(file, function)

    def _count_at(self, place: FunctionPlace, number: int) -> LineCount | None:
        """The line, or the one that its statement begins on."""
        counts = self._counts[place.path]
        return next((counts[line] for line in range(number, place.function.line - 1, -1) if line in counts), None)

    def _is_behind_false(self, place: FunctionPlace, number: int, before: str) -> bool:
        """Return whether a condition on the same line, with `before` between its beginning and what it guards, was
        never true. Where the line has several, it counts as if one was."""
        if not _CONDITION.search(before) or _ELSE.search(before):
            return False
        conditions = self._conditions[place.path].get(number, [])
        return len(conditions) == 1 and not conditions[0].counts[0]

    def _lines(self, file: FileCoverage) -> list[str]:
        """The lines without comments and texts in quotes."""
        if file.path not in self._code:
            self._code[file.path] = _SILENT.sub(_blank, file.content).split("\n")
        return self._code[file.path]


def _conditions_by_line(file: FileCoverage) -> dict[int, list[BranchCount]]:
    found: dict[int, list[BranchCount]] = {}
    for branch in file.branches:
        if branch.kind == "if":
            found.setdefault(branch.line, []).append(branch)
    return found


def has_short_assertions(contents: Iterable[str]) -> bool:
    """Return whether the sources have Chimera's `Asserts`."""
    return any(_SHORT_ASSERTIONS_OF.search(content) for content in contents)


def _is_asserting(text: str) -> bool:
    found = _ASSERTION.search(text)
    return found is not None and found["first"] != "false"


def _is_guard(lines: list[str]) -> bool:
    """Return whether the first of these lines is a condition, and the next `return` is one of nothing or `true`."""
    if not _CONDITION.search(lines[0]):
        return False
    found = _RETURN.search("\n".join(lines))
    return found is not None and found["value"].strip() in ("", "true")


def _assertion_in(text: str, *, short: bool) -> re.Match[str] | None:
    """The first assertion of a line that is no declaration of one."""
    for pattern in (_ASSERTION, _SHORT_ASSERTION) if short else (_ASSERTION,):
        for found in pattern.finditer(text):
            if not _DECLARED.search(text[: found.start()]):
                return found
    return None


def _caught_lines(code: list[str], first: int, last: int) -> frozenset[int]:
    """Lines of a function, numbered from 1, that a `catch` block holds."""
    if not any(_CATCH.search(line) for line in code[first - 1 : last]):
        return frozenset()
    caught, blocks, head = set(), [], ""
    for number in range(first, min(last, len(code)) + 1):
        for character in code[number - 1] + "\n":
            if character == "{":
                blocks.append(_CATCH.search(head) is not None)
            elif character == "}" and blocks:
                blocks.pop()
            head = "" if character in "{};" else head + character
            if any(blocks) and not character.isspace():
                caught.add(number)
    return frozenset(caught)


def is_assertion(function: str, line: str) -> bool:
    """Return whether a branch belongs to an assertion, by the name of its function and its line."""
    if _ASSERTION.match(f"{function}(") or _SHORT_ASSERTION.match(f"{function}("):
        return True
    return _ASSERTION.search(line) is not None


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _parts(name: str) -> tuple[str, str]:
    """Contract and name of `Contract.name(parameters)` or `Contract.name:line`."""
    plain = re.split(r"[(:]", name, maxsplit=1)[0]
    contract, _, function = plain.rpartition(".")
    return contract, function
