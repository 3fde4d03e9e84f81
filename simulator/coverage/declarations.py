"""Contracts and functions of a Solidity source, found by a scan of its tokens.

Coverage needs to know which bytes are statements and which are headers, in every language version from 0.4 on and
also for artifacts that come without a syntax tree. The scan trusts that a compiler has accepted the source; what it
does not understand it leaves out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"""//[^\n]*|/\*.*?\*/|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<word>[A-Za-z_$][\w$]*)|(?P<mark>[^\s\w])""",
    re.DOTALL,
)
_CONTRACT_WORDS = frozenset((b"contract", b"library", b"interface"))
_NAMELESS_WORDS = frozenset((b"constructor", b"fallback", b"receive"))
_OPEN, _CLOSE = b"([", b")]"


@dataclass(frozen=True, slots=True)
class FunctionDeclaration:
    """A function or modifier with a body. Offsets are bytes: `start` of its keyword, `body_start` of the opening
    brace, `end` behind the closing one. `contract` is empty for a free function. `parameters` is the text between the
    first parentheses, its white space reduced."""

    name: str
    contract: str
    kind: str
    start: int
    body_start: int
    end: int
    parameters: str

    def has_statement(self, start: int, end: int) -> bool:
        """Return whether these bytes lie between the braces of the body."""
        return self.body_start < start and end < self.end

    def is_header_range(self, start: int, end: int) -> bool:
        """Return whether these bytes are the declaration as a whole, which compilers give to entry and exit code."""
        return self.start == start and self.end == end


@dataclass(frozen=True, slots=True)
class FunctionDeclarations:
    """All functions with bodies, ordered by `start`; they do not nest."""

    functions: tuple[FunctionDeclaration, ...]

    def function_at(self, offset: int) -> FunctionDeclaration | None:
        """The function whose header or body holds this byte."""
        index = bisect_right(self.functions, offset, key=lambda function: function.start) - 1
        if index < 0 or offset >= self.functions[index].end:
            return None
        return self.functions[index]


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: bytes


_VYPER_FUNCTION = re.compile(
    rb"^def[ \t]+(?P<name>\w+)[ \t]*\((?P<parameters>[^()]*(?:\([^()]*\)[^()]*)*)\)[^:\n]*:", re.M
)
_VYPER_TOP = re.compile(rb"^[^\s#]", re.M)


def scan_vyper_declarations(content: bytes, contract: str) -> FunctionDeclarations:
    """The functions of a Vyper source: each ends where the next line begins in the first column."""
    functions = []
    for match in _VYPER_FUNCTION.finditer(content):
        name, after = match["name"].decode(), _VYPER_TOP.search(content, match.end())
        kind = "constructor" if name == "__init__" else "function"
        parameters = b" ".join(match["parameters"].split()).decode(errors="replace")
        end = after.start() if after else len(content)
        functions.append(FunctionDeclaration(name, contract, kind, match.start(), match.end() - 1, end + 1, parameters))
    return FunctionDeclarations(tuple(functions))


def scan_declarations(content: bytes) -> FunctionDeclarations:
    """Scan a source. Never fails: text that is no Solidity gives no declarations."""
    return FunctionDeclarations(tuple(_Scanner(content).functions()))


class _Scanner:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._tokens = list(_tokens(content))
        self._position = 0

    def functions(self) -> Iterator[FunctionDeclaration]:
        """File level: contracts, free functions, and braces of structs and enums, which are skipped."""
        while token := self._take():
            if token.text in _CONTRACT_WORDS and (name := self._peek_word()):
                if self._skip_to_body() is not None:
                    yield from self._members(name)
            elif token.text == b"function":
                yield from self._function(token, "")
            elif token.text == b"{":
                self._skip_braces()

    def _members(self, contract: str) -> Iterator[FunctionDeclaration]:
        """Declarations of a contract, up to the brace that closes it."""
        at_start = True
        while token := self._take():
            if token.text == b"}":
                return
            if at_start and self._declares_function(token):
                yield from self._function(token, contract)
                at_start = True
                continue
            if token.text == b"{":
                self._skip_braces()
            at_start = token.text in (b";", b"{")

    def _declares_function(self, token: _Token) -> bool:
        following = self._peek()
        if token.text in (b"function", b"modifier"):
            return True
        return token.text in _NAMELESS_WORDS and following is not None and following.text == b"("

    def _function(self, keyword: _Token, contract: str) -> Iterator[FunctionDeclaration]:
        kind = keyword.text.decode()
        name = self._peek_word() if kind in ("function", "modifier") else kind
        header_start = self._position
        body = self._skip_to_body()
        if body is None:
            return
        parameters = self._parameters(header_start, body.start)
        end = self._skip_braces()
        yield FunctionDeclaration(name or "fallback", contract, kind, keyword.start, body.start, end, parameters)

    def _parameters(self, header_start: int, body_start: int) -> str:
        """Text between the first parentheses of a header, without comments."""
        words: list[bytes] = []
        depth = 0
        for token in self._tokens[header_start:]:
            if token.start >= body_start:
                break
            if token.text == b")":
                depth -= 1
                if depth == 0:
                    break
            if depth > 0:
                words.append(token.text)
            if token.text == b"(":
                depth += 1
        return " ".join(word.decode("utf-8", "replace") for word in words).replace(" ,", ",")

    def _skip_to_body(self) -> _Token | None:
        """Go behind the brace that opens the body; None, behind the semicolon, when there is no body."""
        depth = 0
        while token := self._take():
            if token.text in (b"(", b"["):
                depth += 1
            elif token.text in (b")", b"]"):
                depth -= 1
            elif depth <= 0 and token.text == b";":
                return None
            elif depth <= 0 and token.text == b"{":
                return token
        return None

    def _skip_braces(self) -> int:
        """Go behind the brace that closes the one just taken; its end offset."""
        depth = 1
        while token := self._take():
            if token.text == b"{":
                depth += 1
            elif token.text == b"}":
                depth -= 1
                if depth == 0:
                    return token.end
        return len(self._content)

    def _take(self) -> _Token | None:
        token = self._peek()
        self._position += 1
        return token

    def _peek(self) -> _Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _peek_word(self) -> str:
        token = self._peek()
        if token is None or not (token.text[:1].isalpha() or token.text[:1] in b"_$"):
            return ""
        return token.text.decode("ascii", "replace")


def _tokens(content: bytes) -> Iterator[_Token]:
    """Words and marks; comments and texts in quotes are left out."""
    for match in _TOKEN.finditer(content):
        if match.lastgroup in ("word", "mark"):
            yield _Token(match.start(), match.end(), match.group())
