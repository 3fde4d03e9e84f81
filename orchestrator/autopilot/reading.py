"""Reads Solidity text into `syntax`. What is not understood becomes opaque, and the rest is read all the same."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from orchestrator.autopilot.syntax import (
    Apply,
    Assign,
    Binary,
    Block,
    Choice,
    ContractText,
    Do,
    Expression,
    FunctionText,
    If,
    Index,
    Leave,
    Let,
    Loop,
    Member,
    Name,
    New,
    Number,
    Opaque,
    Parameter,
    Return,
    Several,
    Statement,
    Text,
    Truth,
    Unary,
    Variable,
)
from orchestrator.autopilot.tokens import Token, content_of, tokens_of

MAX_DEPTH = 200
_UNITS = {"wei": 1, "gwei": 10**9, "ether": 10**18, "seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_UNITS["weeks"] = 7 * 86400
_BINDING = {
    "**": 15, "*": 14, "/": 14, "%": 14, "+": 13, "-": 13, "<<": 12, ">>": 12, "&": 11, "^": 10, "|": 9,
    "<": 8, ">": 8, "<=": 8, ">=": 8, "==": 7, "!=": 7, "&&": 6, "||": 5,
}  # fmt: skip
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_PLACES = {"memory", "storage", "calldata", "payable", "indexed"}


class NotUnderstood(Exception):
    """The text is no Solidity that is understood here."""


def read_contracts(source: str) -> dict[str, ContractText]:
    """Contracts, interfaces and libraries of a file by name."""
    return _Reader(tokens_of(source)).contracts()


def read_expression(source: str) -> Expression:
    """Raises `NotUnderstood`."""
    reader = _Reader(tokens_of(source))
    expression = reader.expression()
    if reader.now.kind != "end":
        raise NotUnderstood(reader.now.text)
    return expression


class _Reader:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def now(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self.now
        if token.kind != "end":
            self._at += 1
        return token

    def _take(self, text: str) -> bool:
        if self.now.text == text and self.now.kind != "text":
            self._next()
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise NotUnderstood(f"line {self.now.line}: {self.now.text!r} instead of {text!r}")

    def _name(self) -> str:
        if self.now.kind != "name":
            raise NotUnderstood(f"line {self.now.line}: {self.now.text!r} is no name")
        return self._next().text

    def contracts(self) -> dict[str, ContractText]:
        found: dict[str, ContractText] = {}
        outside = ContractText("")
        while self.now.kind != "end":
            if self.now.text in ("contract", "interface", "library"):
                contract = self._contract()
                found[contract.name] = contract
            elif self.now.text in ("struct", "enum", "function", "error", "event", "using", "type"):
                self._safely(outside)
            elif self.now.text == "{":
                self._skip_group()
            else:
                self._next()
        for contract in found.values():
            contract.structs = outside.structs | contract.structs
            contract.enums = outside.enums | contract.enums
            contract.functions = outside.functions | contract.functions
        return found

    def _contract(self) -> ContractText:
        is_library = self._next().text == "library"
        contract = ContractText(self._name(), is_library=is_library)
        bases: list[str] = []
        if self._take("is"):
            while self.now.text != "{" and self.now.kind != "end":
                if self.now.kind == "name":
                    bases.append(self._path())
                elif self.now.text == "(":
                    self._skip_group()
                else:
                    self._next()
        contract.bases = tuple(bases)
        self._expect("{")
        while self.now.text != "}" and self.now.kind != "end":
            self._safely(contract)
        self._take("}")
        return contract

    def _safely(self, contract: ContractText) -> None:
        """One declaration; past it where it is not understood."""
        began = self._at
        try:
            self._declaration(contract)
        except (NotUnderstood, InvalidOperation, ValueError, RecursionError):
            self._at = began
            self._skip_declaration()

    def _skip_declaration(self) -> None:
        while self.now.kind != "end":
            text = self.now.text
            if text == "{":
                self._skip_group()
                return
            if text in ("(", "["):
                self._skip_group()
                continue
            if text == "}":
                return
            self._next()
            if text == ";":
                return

    def _skip_group(self) -> str:
        """Past a group in brackets; its text."""
        depth, words = 0, []
        while self.now.kind != "end":
            token = self._next()
            words.append(token.text)
            if token.kind == "sign":
                depth += token.text in "([{"
                depth -= token.text in ")]}"
            if not depth:
                break
        return " ".join(words)

    def _declaration(self, contract: ContractText) -> None:
        match self.now.text:
            case "function" | "constructor" | "fallback" | "receive":
                function = self._function()
                contract.functions.setdefault(function.name, []).append(function)
            case "modifier":
                modifier = self._function()
                contract.modifiers[modifier.name] = modifier
            case "struct":
                self._next()
                name = self._name()
                self._expect("{")
                members = []
                while not self._take("}"):
                    kind = self._type()
                    members.append(Parameter(kind, self._name()))
                    self._expect(";")
                contract.structs[name] = tuple(members)
            case "enum":
                self._next()
                name = self._name()
                self._expect("{")
                values = []
                while not self._take("}"):
                    values.append(self._name())
                    self._take(",")
                contract.enums[name] = tuple(values)
            case "event" | "error" | "using" | "type":
                self._skip_declaration()
            case _:
                variable = self._variable()
                contract.variables[variable.name] = variable

    def _variable(self) -> Variable:
        kind = self._type()
        words: set[str] = set()
        while True:
            name = self._name()
            if self.now.text in ("=", ";"):
                break
            if self.now.text == "(":
                self._skip_group()
            words.add(name)
        value = self.expression() if self._take("=") else None
        self._expect(";")
        return Variable(name, kind, value, frozenset(words))

    def _function(self) -> FunctionText:
        line = self.now.line
        word = self._next().text
        name = self._name() if word in ("function", "modifier") else word
        parameters = self._parameters() if self.now.text == "(" else ()
        words: set[str] = set()
        modifiers: list[tuple[str, tuple[Expression, ...]]] = []
        returns: tuple[Parameter, ...] = ()
        while self.now.text not in ("{", ";"):
            if self._take("returns"):
                returns = self._parameters()
            elif self.now.text in ("override", "virtual"):
                self._next()
                if self.now.text == "(":
                    self._skip_group()
            else:
                modifier = self._path()
                arguments = self._arguments()[0] if self.now.text == "(" else ()
                words.add(modifier)
                modifiers.append((modifier, arguments))
        body = None if self._take(";") else self._block()
        return FunctionText(name, parameters, returns, tuple(modifiers), frozenset(words), body, line)

    def _parameters(self) -> tuple[Parameter, ...]:
        self._expect("(")
        found = []
        while not self._take(")"):
            kind = self._type()
            while self.now.text in _PLACES:
                self._next()
            found.append(Parameter(kind, self._next().text if self.now.kind == "name" else ""))
            self._take(",")
        return tuple(found)

    def _path(self) -> str:
        name = self._name()
        while self._take("."):
            name += "." + self._name()
        return name

    def _type(self) -> str:
        if self._take("mapping"):
            self._expect("(")
            key = self._type()
            if self.now.kind == "name":
                self._next()
            self._expect("=>")
            value = self._type()
            if self.now.kind == "name":
                self._next()
            self._expect(")")
            kind = f"mapping({key}=>{value})"
        else:
            kind = self._path()
            if kind == "address":
                self._take("payable")
            kind = {"uint": "uint256", "int": "int256", "byte": "bytes1"}.get(kind, kind)
        while self.now.text == "[":
            kind += self._skip_group().replace(" ", "")
        return kind

    def _block(self) -> Block:
        self._expect("{")
        statements: list[Statement] = []
        while not self._take("}"):
            if self.now.kind == "end":
                raise NotUnderstood("the text ends within a block")
            statements.append(self._statement())
        return Block(tuple(statements))

    def _statement(self) -> Statement:
        began = self._at
        try:
            return self._known_statement()
        except (NotUnderstood, InvalidOperation, ValueError):
            self._at = began
            self._skip_declaration()
            words = [token.text for token in self._tokens[began : self._at]]
            return Opaque(" ".join(words))

    def _known_statement(self) -> Statement:
        token = self.now
        match token.text:
            case "{":
                return self._block()
            case "unchecked":
                self._next()
                return Block(self._block().statements, is_unchecked=True)
            case "if":
                self._next()
                condition = self._group()
                then = self._statement()
                otherwise = self._statement() if self._take("else") else None
                return If(condition, then, otherwise, token.line)
            case "for":
                return self._for()
            case "while":
                self._next()
                return Loop(None, self._group(), None, self._statement())
            case "do":
                self._next()
                body = self._statement()
                self._expect("while")
                condition = self._group()
                self._expect(";")
                return Loop(None, condition, None, body, at_least_once=True)
            case "return":
                self._next()
                value = None if self.now.text == ";" else self.expression()
                self._expect(";")
                return Return(value)
            case "break" | "continue" | "_":
                self._next()
                self._expect(";")
                return Leave(token.text)
            case "revert" | "emit":
                while self.now.text != ";" and self.now.kind != "end":
                    self._next()
                self._expect(";")
                return Leave("revert") if token.text == "revert" else Block(())
            case "assembly" | "try":
                raise NotUnderstood(token.text)
        return self._simple_statement()

    def _for(self) -> Statement:
        self._next()
        self._expect("(")
        first = None if self._take(";") else self._simple_statement()
        condition = None if self.now.text == ";" else self.expression()
        self._expect(";")
        after = None if self.now.text == ")" else self.expression()
        self._expect(")")
        return Loop(first, condition, after, self._statement())

    def _group(self) -> Expression:
        self._expect("(")
        expression = self.expression()
        self._expect(")")
        return expression

    def _simple_statement(self) -> Statement:
        line, began = self.now.line, self._at
        if self.now.text == "(" and (several := self._local_tuple()) is not None:
            return several
        self._at = began
        if self.now.kind == "name" and (local := self._local()) is not None:
            return local
        self._at = began
        expression = self.expression()
        self._expect(";")
        return Do(expression, line)

    def _local(self) -> Let | None:
        """`uint256 x = 5;`, or None for what is no declaration."""
        try:
            kind = self._type()
        except NotUnderstood:
            return None
        while self.now.text in _PLACES:
            self._next()
        if self.now.kind != "name":
            return None
        name = self._next().text
        if self.now.text not in ("=", ";"):
            return None
        value = self.expression() if self._take("=") else None
        self._expect(";")
        return Let(((kind, name),), value)

    def _local_tuple(self) -> Let | None:
        """`(uint256 x, ) = f();`, or None for an expression that begins with a bracket."""
        self._expect("(")
        variables: list[tuple[str, str] | None] = []
        try:
            while not self._take(")"):
                if self._take(","):
                    variables.append(None)
                    continue
                kind = self._type()
                while self.now.text in _PLACES:
                    self._next()
                variables.append((kind, self._name()))
                self._take(",")
        except NotUnderstood:
            return None
        if not any(variables) or not self._take("="):
            return None
        value = self.expression()
        self._expect(";")
        return Let(tuple(variables), value)

    def expression(self) -> Expression:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotUnderstood("too deep")
        try:
            left = self._operation(0)
            if self._take("?"):
                then = self.expression()
                self._expect(":")
                return Choice(left, then, self.expression())
            if self.now.text in _ASSIGNMENTS and self.now.kind == "sign":
                operator = self._next().text[:-1]
                return Assign(left, operator, self.expression())
            return left
        finally:
            self._depth -= 1

    def _operation(self, least: int) -> Expression:
        left = self._unary()
        while self.now.kind == "sign" and (strength := _BINDING.get(self.now.text, -1)) > least:
            operator = self._next().text
            # `**` binds to the right.
            left = Binary(operator, left, self._operation(strength - (operator == "**")))
        return left

    def _unary(self) -> Expression:
        token = self.now
        if token.text in ("!", "-", "~", "delete") and token.kind != "text":
            self._next()
            return Unary(token.text, self._unary())
        if token.text in ("++", "--"):
            self._next()
            return Assign(self._unary(), token.text[0], Number(1))
        return self._postfix(self._primary())

    def _postfix(self, expression: Expression) -> Expression:
        value: Expression | None = None
        while True:
            if self._take("."):
                expression = Member(expression, self._next().text)
            elif self._take("["):
                if self._take("]"):
                    raise NotUnderstood("a type")
                expression = Index(expression, self.expression())
                self._expect("]")
            elif self.now.text == "{" and self._tokens[self._at + 1].text in ("value", "gas", "salt"):
                value = self._options() or value
            elif self.now.text == "(":
                arguments, names = self._arguments()
                expression = Apply(expression, arguments, names, value)
            elif self.now.text in ("++", "--"):
                expression = Assign(expression, self._next().text[0], Number(1), is_postfix=True)
            else:
                return expression

    def _options(self) -> Expression | None:
        self._expect("{")
        found: Expression | None = None
        while not self._take("}"):
            name = self._name()
            self._expect(":")
            value = self.expression()
            found = value if name == "value" else found
            self._take(",")
        return found

    def _arguments(self) -> tuple[tuple[Expression, ...], tuple[str, ...]]:
        self._expect("(")
        arguments: list[Expression] = []
        names: list[str] = []
        if self._take("{"):
            while not self._take("}"):
                names.append(self._name())
                self._expect(":")
                arguments.append(self.expression())
                self._take(",")
            self._expect(")")
            return tuple(arguments), tuple(names)
        while not self._take(")"):
            arguments.append(self.expression())
            if self.now.text != ")":
                self._expect(",")
        return tuple(arguments), ()

    def _primary(self) -> Expression:
        token = self._next()
        if token.kind == "number":
            return self._number(token.text)
        if token.kind == "text":
            content = content_of(token.text)
            while self.now.kind == "text":
                content += content_of(self._next().text)
            return Text(content)
        if token.text in ("true", "false"):
            return Truth(token.text == "true")
        if token.text == "new":
            return New(self._type())
        if token.text in ("(", "["):
            return self._several(")" if token.text == "(" else "]")
        if token.kind == "name":
            return Name(token.text)
        raise NotUnderstood(f"line {token.line}: {token.text!r}")

    def _number(self, text: str) -> Expression:
        plain = text.replace("_", "")
        if plain.lower().startswith("0x"):
            return Number(int(plain, 16))
        unit = _UNITS.get(self.now.text, 0)
        if unit:
            self._next()
        value = Decimal(plain) * (unit or 1)
        if value != int(value) or abs(value) >= 1 << 256:
            raise NotUnderstood(text)
        return Number(int(value))

    def _several(self, close: str) -> Expression:
        members: list[Expression | None] = []
        is_tuple = close == "]"
        while not self._take(close):
            if self._take(","):
                members.append(None)
                is_tuple = True
                continue
            members.append(self.expression())
            if self.now.text != close:
                self._expect(",")
                is_tuple = True
        if is_tuple or not members or members[0] is None:
            return Several(tuple(members))
        return members[0]
