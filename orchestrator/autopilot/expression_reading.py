"""Reads Solidity's expressions and types."""

from __future__ import annotations

from decimal import Decimal

from orchestrator.autopilot.syntax import (
    Apply,
    Assign,
    Binary,
    Choice,
    Expression,
    Index,
    Member,
    Name,
    New,
    Number,
    Several,
    Text,
    Truth,
    Unary,
)
from orchestrator.autopilot.tokens import Token, content_of

MAX_DEPTH = 200
MAX_DIGITS = 80
_UNITS = {"wei": 1, "gwei": 10**9, "ether": 10**18, "seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_UNITS["weeks"] = 7 * 86400
_BINDING = {
    "**": 15, "*": 14, "/": 14, "%": 14, "+": 13, "-": 13, "<<": 12, ">>": 12, "&": 11, "^": 10, "|": 9,
    "<": 8, ">": 8, "<=": 8, ">=": 8, "==": 7, "!=": 7, "&&": 6, "||": 5,
}  # fmt: skip
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}


class NotUnderstood(Exception):  # noqa: N818  # it is no error of anybody
    """The text is no Solidity that is understood here."""


class ExpressionReader:
    """Reads tokens from the first to the last."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self._depth = 0

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    def advance(self) -> Token:
        token = self.now
        if token.kind != "end":
            self.at += 1
        return token

    def take(self, text: str) -> bool:
        if self.now.text == text and self.now.kind != "text":
            self.advance()
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise NotUnderstood(f"line {self.now.line}: {self.now.text!r} instead of {text!r}")

    def name(self) -> str:
        if self.now.kind != "name":
            raise NotUnderstood(f"line {self.now.line}: {self.now.text!r} is no name")
        return self.advance().text

    def skip_group(self) -> str:
        """Past a group in brackets; its text."""
        depth, words = 0, []
        while self.now.kind != "end":
            token = self.advance()
            words.append(token.text)
            if token.kind == "sign":
                depth += token.text in "([{"
                depth -= token.text in ")]}"
            if not depth:
                break
        return " ".join(words)

    def path(self) -> str:
        name = self.name()
        while self.take("."):
            name += "." + self.name()
        return name

    def type(self) -> str:
        if self.take("mapping"):
            self.expect("(")
            key = self.type()
            if self.now.kind == "name":
                self.advance()
            self.expect("=>")
            value = self.type()
            if self.now.kind == "name":
                self.advance()
            self.expect(")")
            kind = f"mapping({key}=>{value})"
        else:
            kind = self.path()
            if kind == "address":
                self.take("payable")
            kind = {"uint": "uint256", "int": "int256", "byte": "bytes1"}.get(kind, kind)
        while self.now.text == "[":
            kind += self.skip_group().replace(" ", "")
        return kind

    def expression(self) -> Expression:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotUnderstood("too deep")
        try:
            left = self._operation(0)
            if self.take("?"):
                then = self.expression()
                self.expect(":")
                return Choice(left, then, self.expression())
            if self.now.text in _ASSIGNMENTS and self.now.kind == "sign":
                operator = self.advance().text[:-1]
                return Assign(left, operator, self.expression())
            return left
        finally:
            self._depth -= 1

    def _operation(self, least: int) -> Expression:
        left = self._unary()
        while self.now.kind == "sign" and (strength := _BINDING.get(self.now.text, -1)) > least:
            operator = self.advance().text
            # `**` binds to the right.
            left = Binary(operator, left, self._operation(strength - (operator == "**")))
        return left

    def _unary(self) -> Expression:
        token = self.now
        if token.text in ("!", "-", "~", "delete") and token.kind != "text":
            self.advance()
            return Unary(token.text, self._unary())
        if token.text in ("++", "--"):
            self.advance()
            return Assign(self._unary(), token.text[0], Number(1))
        return self._postfix(self._primary())

    def _postfix(self, expression: Expression) -> Expression:
        value: Expression | None = None
        while True:
            if self.take("."):
                expression = Member(expression, self.advance().text)
            elif self.take("["):
                if self.take("]"):
                    raise NotUnderstood("a type")
                expression = Index(expression, self.expression())
                self.expect("]")
            elif self.now.text == "{" and self.tokens[self.at + 1].text in ("value", "gas", "salt"):
                value = self._options() or value
            elif self.now.text == "(":
                arguments, names = self.arguments()
                expression = Apply(expression, arguments, names, value)
            elif self.now.text in ("++", "--"):
                expression = Assign(expression, self.advance().text[0], Number(1), is_postfix=True)
            else:
                return expression

    def _options(self) -> Expression | None:
        self.expect("{")
        found: Expression | None = None
        while not self.take("}"):
            name = self.name()
            self.expect(":")
            value = self.expression()
            found = value if name == "value" else found
            self.take(",")
        return found

    def arguments(self) -> tuple[tuple[Expression, ...], tuple[str, ...]]:
        self.expect("(")
        arguments: list[Expression] = []
        names: list[str] = []
        if self.take("{"):
            while not self.take("}"):
                names.append(self.name())
                self.expect(":")
                arguments.append(self.expression())
                self.take(",")
            self.expect(")")
            return tuple(arguments), tuple(names)
        while not self.take(")"):
            arguments.append(self.expression())
            if self.now.text != ")":
                self.expect(",")
        return tuple(arguments), ()

    def _primary(self) -> Expression:
        token = self.advance()
        if token.kind == "number":
            return self._number(token.text)
        if token.kind == "text":
            content = content_of(token.text)
            while self.now.kind == "text":
                content += content_of(self.advance().text)
            return Text(content)
        if token.text in ("true", "false"):
            return Truth(token.text == "true")
        if token.text == "new":
            return New(self.type())
        if token.text in ("(", "["):
            return self._several(")" if token.text == "(" else "]")
        if token.kind == "name":
            return Name(token.text)
        raise NotUnderstood(f"line {token.line}: {token.text!r}")

    def _number(self, text: str) -> Expression:
        plain = text.replace("_", "")
        if plain.lower().startswith("0x"):
            if len(plain) > MAX_DIGITS:
                raise NotUnderstood(text)
            return Number(int(plain, 16))
        unit = _UNITS.get(self.now.text, 0)
        if unit:
            self.advance()
        value = Decimal(plain)
        if len(plain) > MAX_DIGITS or abs(value.adjusted()) > MAX_DIGITS:
            raise NotUnderstood(text)
        # Not by Decimal's own arithmetic, which rounds.
        top, bottom = value.as_integer_ratio()
        whole, rest = divmod(top * (unit or 1), bottom)
        if rest or whole >= 1 << 256:
            raise NotUnderstood(text)
        return Number(whole)

    def _several(self, close: str) -> Expression:
        members: list[Expression | None] = []
        is_tuple = close == "]"
        while not self.take(close):
            if self.take(","):
                members.append(None)
                is_tuple = True
                continue
            members.append(self.expression())
            if self.now.text != close:
                self.expect(",")
                is_tuple = True
        if is_tuple or not members or members[0] is None:
            return Several(tuple(members))
        return members[0]
