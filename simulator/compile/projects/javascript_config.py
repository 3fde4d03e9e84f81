"""A reader of configurations written in JavaScript or TypeScript. Nothing of them is run.

Read are literals, constants of the file, spreads, members, and a few functions that give back what they get. Everything
else, such as a call or a condition on something unknown, is an `Unread` in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from simulator.compile.projects.javascript_tokens import END, Token, tokens_of
from simulator.compile.projects.javascript_values import (
    Unread,
    applied,
    member_of,
    number_of,
    result_of,
    unquoted,
    with_sign,
)

MAX_DEPTH = 100
_OPENING = {"(": ")", "[": "]", "{": "}"}
_LITERALS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "undefined": None}
_STOPS = frozenset((",", ";", ")", "]", "}", "end"))
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("??", "||"),
    ("&&",),
    ("==", "!=", "===", "!=="),
    ("<", ">", "<=", ">=", "in", "instanceof"),
    ("+", "-"),
    ("*", "/", "%"),
    ("**",),
)


class ConfigurationSyntaxError(ValueError):
    """The file is not understood at all."""


def read_configuration(source: str, variable: Callable[[str], str | None]) -> Any:
    """The value that a module exports: dicts, lists, texts, numbers, truth values, None, and `Unread` in places.

    `variable` gives the environment that `process.env` shows. Raises `ConfigurationSyntaxError` when nothing is
    exported, or for values that are nested too deeply.
    """
    module = _Module(list(tokens_of(source)), variable)
    try:
        return module.exported()
    except RecursionError as error:
        raise ConfigurationSyntaxError("it is nested too deeply") from error


class _Module:
    def __init__(self, tokens: list[Token], variable: Callable[[str], str | None]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.variable = variable
        self.names: dict[str, Any] = {}

    # --- tokens ------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else END

    def ahead(self, count: int) -> Token:
        return self.tokens[self.at + count] if 0 <= self.at + count < len(self.tokens) else END

    def take(self) -> Token:
        token = self.token
        self.at += 1
        return token

    def sees(self, *texts: str) -> bool:
        """Return whether the next tokens are these signs and names."""
        return all(self._plain(self.ahead(count)) == text for count, text in enumerate(texts))

    def _plain(self, token: Token) -> str:
        return token.text if token.kind in ("sign", "name") else ""

    def accept(self, *texts: str) -> bool:
        if self.sees(*texts):
            self.at += len(texts)
            return True
        return False

    def skip_balanced(self) -> None:
        """Pass over one token, or over a whole pair of brackets."""
        closing: list[str] = []
        while True:
            token = self.take()
            if token is END:
                return
            text = self._plain(token)
            if text in _OPENING:
                closing.append(_OPENING[text])
            elif closing and text == closing[-1]:
                closing.pop()
            if not closing:
                return

    def skip_until(self, *stops: str) -> None:
        """Pass over whole brackets until one of these signs, or the end."""
        while self.token is not END and self._plain(self.token) not in stops:
            self.skip_balanced()

    # --- statements --------------------------------------------------------------------------------------------------

    def exported(self) -> Any:
        found: list[Any] = []
        while self.token is not END:
            before = self.at
            self._statement(found)
            self.at = max(self.at, before + 1)
        if not found:
            raise ConfigurationSyntaxError("it exports nothing")
        return found[-1]

    def _statement(self, found: list[Any]) -> None:
        if self.accept("module", ".", "exports", "=") or self.accept("export", "default") or self.accept("export", "="):
            # `module.exports = exports = {...}`
            self.accept("exports", "=")
            found.append(self.expression())
        elif self.accept("exports", ".", "default", "="):
            found.append(self.expression())
        elif self.sees("export", "const") or self.sees("export", "let"):
            self.at += 1
        elif self.token.kind == "name" and self.token.text in ("const", "let", "var"):
            self.at += 1
            self._declaration()
        elif self._assigned(found):
            pass
        else:
            self.skip_balanced()

    def _declaration(self) -> None:
        name = self.take()
        if name.kind != "name":
            self.at -= 1
            self.skip_until("=", ";")
            if self.accept("="):
                self.expression()
            return
        if self.accept(":"):
            self._type("=")
        if self.accept("="):
            self.names[name.text] = self.expression()
        if self.accept(","):
            self._declaration()

    def _assigned(self, found: list[Any]) -> bool:
        """`config.solidity.version = "..."` or `module.exports.solidity = ...` behind what they change."""
        start = self.at
        if self.accept("module", ".", "exports") and found:
            target = found[-1]
        elif self.token.kind == "name" and isinstance(self.names.get(self.token.text), dict):
            target = self.names[self.take().text]
        else:
            self.at = start
            return False
        path = []
        while self.accept("."):
            path.append(self.take().text)
        if not path or not self.accept("="):
            self.at = start
            return False
        value = self.expression()
        for key in path[:-1]:
            target = target.setdefault(key, {}) if isinstance(target, dict) else None
        if isinstance(target, dict):
            target[path[-1]] = value
        return True

    # --- expressions -------------------------------------------------------------------------------------------------

    def expression(self) -> Any:
        """One expression up to a comma or a closing bracket."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ConfigurationSyntaxError("it is nested too deeply")
        try:
            return self._conditional()
        finally:
            self.depth -= 1

    def _conditional(self) -> Any:
        condition = self._binary(0)
        if not self.accept("?"):
            return condition
        first = self.expression()
        self.accept(":")
        second = self.expression()
        if isinstance(condition, Unread):
            return condition
        return first if condition else second

    def _binary(self, level: int) -> Any:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while (operator := self._plain(self.token)) in _LEVELS[level] and operator:
            self.at += 1
            left = applied(operator, left, self._binary(level + 1))
        return left

    def _unary(self) -> Any:
        if self.token.kind == "sign" and self.token.text in ("-", "+", "!", "~"):
            sign = self.take().text
            return with_sign(sign, self._unary())
        if self.token.kind == "name" and self.token.text in ("typeof", "void", "delete", "await", "new"):
            start = self.at
            self.at += 1
            self._unary()
            return self._unread(start)
        return self._types(self._members(self._primary()))

    def _types(self, value: Any) -> Any:
        """Pass over `as Type` and `satisfies Type`."""
        while self.token.kind == "name" and self.token.text in ("as", "satisfies") and not self.token.is_first:
            self.at += 1
            self._type()
        return value

    def _type(self, *stops: str) -> None:
        """Pass over a type up to what ends it; angle brackets count as brackets."""
        open_angles = 0
        while self.token is not END:
            text = self._plain(self.token)
            if not open_angles and (text in stops or (not stops and text in _STOPS)):
                return
            open_angles += (text == "<") - (text == ">" and open_angles > 0)
            self.skip_balanced()

    def _primary(self) -> Any:
        start, token = self.at, self.take()
        match token.kind:
            case "text":
                return unquoted(token.text[1:-1])
            case "number":
                return number_of(token.text)
            case "template":
                return unquoted(token.text) if "${" not in token.text else self._unread(start)
            case "name":
                return self._named(token.text, start)
            case "sign" if token.text in _OPENING:
                return self._bracketed(token.text, start)
            case _:
                if token.text in _STOPS:
                    self.at = start
                return self._unread(start)

    def _bracketed(self, opening: str, start: int) -> Any:
        if opening == "{":
            return self._object()
        if opening == "[":
            return self._list()
        self.at = start
        self.skip_balanced()
        if self.sees("=>") or self.sees(":"):
            return self._arrow(start)
        end, self.at = self.at, start + 1
        value = self.expression()
        self.at = end
        return value

    def _arrow(self, start: int) -> Any:
        if self.accept(":"):
            self._type("=>")
        if self.accept("=>"):
            self.skip_balanced() if self.sees("{") else self.expression()
        return self._unread(start)

    def _named(self, name: str, start: int) -> Any:
        if self.sees("=>"):
            return self._arrow(start)
        if name in ("function", "class", "async"):
            self.skip_until("{", ";", "=>", ",")
            if self.sees("=>"):
                return self._arrow(start)
            self.skip_balanced()
            return self._unread(start)
        if name in _LITERALS:
            return _LITERALS[name]
        if name == "process" and self.accept(".", "env"):
            if self.accept("."):
                return self.variable(self.take().text)
            return self._unread(start)
        return self.names.get(name, self._unread(start))

    def _members(self, value: Any) -> Any:
        start, name = self.at - 1, self.ahead(-1).text
        while True:
            if self.accept(".") or (self.sees("?.") and self.ahead(1).kind == "name" and self.accept("?.")):
                name = self.take().text
                value = member_of(value, name, self._unread(start))
            elif self.sees("[") and not self.token.is_first:
                self.at += 1
                key = self.expression()
                self.accept("]")
                value = member_of(value, key, self._unread(start))
            elif self.sees("(") and not self.token.is_first:
                self.at += 1
                value = result_of(name, self._list(")"), self._unread(start))
            elif self.sees("!") and not self.sees("!", "="):
                self.at += 1
            elif self.token.kind == "template":
                self.at += 1
                value = self._unread(start)
            else:
                return value

    def _list(self, closing: str = "]") -> list[Any]:
        found: list[Any] = []
        while self.token is not END and not self.accept(closing):
            before = self.at
            if self.accept("..."):
                spread = self.expression()
                found.extend(spread if isinstance(spread, list) else [spread])
            else:
                found.append(self.expression())
            self.skip_until(",", closing)
            self.accept(",")
            self.at = max(self.at, before + 1)
        return found

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self.token is not END and not self.accept("}"):
            before = self.at
            self._property(found)
            self.skip_until(",", "}")
            self.accept(",")
            self.at = max(self.at, before + 1)
        return found

    def _property(self, found: dict[str, Any]) -> None:
        if self.accept("..."):
            start = self.at
            spread = self.expression()
            found.update(spread if isinstance(spread, dict) else {f"...{self._text(start)}": self._unread(start)})
            return
        token = self.take()
        if token.kind == "sign" and token.text == "[":
            key = str(self.expression())
            self.accept("]")
        else:
            key = unquoted(token.text[1:-1]) if token.kind == "text" else token.text
        if self.accept(":"):
            found[key] = self.expression()
        elif self.sees(",") or self.sees("}"):
            found[key] = self.names.get(key, Unread(key))
        else:  # a method
            found[key] = Unread(f"{key}(...)")

    def _unread(self, start: int) -> Unread:
        return Unread(self._text(start))

    def _text(self, start: int) -> str:
        return "".join(token.text for token in self.tokens[start : max(self.at, start + 1)])[:60]
