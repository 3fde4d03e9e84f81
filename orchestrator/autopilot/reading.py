"""Reads Solidity text into `syntax`. What is not understood becomes opaque, and the rest is read all the same."""

from __future__ import annotations

from decimal import DecimalException

from orchestrator.autopilot.expression_reading import ExpressionReader, NotUnderstood
from orchestrator.autopilot.syntax import (
    Block,
    ContractText,
    Do,
    Expression,
    FunctionText,
    If,
    Leave,
    Let,
    Loop,
    Opaque,
    Parameter,
    Return,
    Statement,
    Variable,
)
from orchestrator.autopilot.tokens import tokens_of

_PLACES = {"memory", "storage", "calldata", "payable", "indexed"}


def read_contracts(source: str) -> dict[str, ContractText]:
    """Contracts, interfaces and libraries of a file by name."""
    return _Reader(tokens_of(source)).contracts()


class _Reader(ExpressionReader):
    def contracts(self) -> dict[str, ContractText]:
        found: dict[str, ContractText] = {}
        outside = ContractText("")
        while self.now.kind != "end":
            if self.now.text in ("contract", "interface", "library"):
                contract = self._contract()
                if contract is not None:
                    found[contract.name] = contract
            elif self.now.text in ("struct", "enum", "function", "error", "event", "using", "type"):
                self._safely(outside)
            elif self.now.text == "{":
                self.skip_group()
            else:
                self.advance()
        for contract in found.values():
            contract.structs = outside.structs | contract.structs
            contract.enums = outside.enums | contract.enums
            contract.functions = outside.functions | contract.functions
        return found

    def _contract(self) -> ContractText | None:
        """None for a head that is not understood."""
        try:
            contract = self._head()
        except NotUnderstood:
            return None
        while self.now.text != "}" and self.now.kind != "end":
            self._safely(contract)
        self.take("}")
        return contract

    def _head(self) -> ContractText:
        is_library = self.advance().text == "library"
        contract = ContractText(self.name(), is_library=is_library)
        bases: list[str] = []
        if self.take("is"):
            while self.now.text != "{" and self.now.kind != "end":
                if self.now.kind == "name":
                    bases.append(self.path())
                elif self.now.text == "(":
                    self.skip_group()
                else:
                    self.advance()
        contract.bases = tuple(bases)
        self.expect("{")
        return contract

    def _safely(self, contract: ContractText) -> None:
        """One declaration; past it where it is not understood."""
        began = self.at
        try:
            self._declaration(contract)
        except (NotUnderstood, DecimalException, ValueError, RecursionError):
            self.at = began
            self._skip_declaration()

    def _skip_declaration(self) -> None:
        while self.now.kind != "end":
            text = self.now.text
            if text == "{":
                self.skip_group()
                return
            if text in ("(", "["):
                self.skip_group()
                continue
            if text == "}":
                return
            self.advance()
            if text == ";":
                return

    def _declaration(self, contract: ContractText) -> None:
        match self.now.text:
            case "function" | "constructor" | "fallback" | "receive":
                function = self._function()
                contract.functions.setdefault(function.name, []).append(function)
            case "modifier":
                modifier = self._function()
                contract.modifiers[modifier.name] = modifier
            case "struct":
                self.advance()
                name = self.name()
                self.expect("{")
                members = []
                while not self.take("}"):
                    kind = self.type()
                    members.append(Parameter(kind, self.name()))
                    self.expect(";")
                contract.structs[name] = tuple(members)
            case "enum":
                self.advance()
                name = self.name()
                self.expect("{")
                values = []
                while not self.take("}"):
                    values.append(self.name())
                    self.take(",")
                contract.enums[name] = tuple(values)
            case "event" | "error" | "using" | "type":
                self._skip_declaration()
            case _:
                variable = self._variable()
                contract.variables[variable.name] = variable

    def _variable(self) -> Variable:
        kind = self.type()
        words: set[str] = set()
        while True:
            name = self.name()
            if self.now.text in ("=", ";"):
                break
            if self.now.text == "(":
                self.skip_group()
            words.add(name)
        value = self.expression() if self.take("=") else None
        self.expect(";")
        return Variable(name, kind, value, frozenset(words))

    def _function(self) -> FunctionText:
        line = self.now.line
        word = self.advance().text
        name = self.name() if word in ("function", "modifier") else word
        parameters = self._parameters() if self.now.text == "(" else ()
        words: set[str] = set()
        modifiers: list[tuple[str, tuple[Expression, ...]]] = []
        returns: tuple[Parameter, ...] = ()
        while self.now.text not in ("{", ";"):
            if self.take("returns"):
                returns = self._parameters()
            elif self.now.text in ("override", "virtual"):
                self.advance()
                if self.now.text == "(":
                    self.skip_group()
            else:
                modifier = self.path()
                arguments = self.arguments()[0] if self.now.text == "(" else ()
                words.add(modifier)
                modifiers.append((modifier, arguments))
        body = None if self.take(";") else self._block()
        return FunctionText(name, parameters, returns, tuple(modifiers), frozenset(words), body, line)

    def _parameters(self) -> tuple[Parameter, ...]:
        self.expect("(")
        found = []
        while not self.take(")"):
            kind = self.type()
            while self.now.text in _PLACES:
                self.advance()
            found.append(Parameter(kind, self.advance().text if self.now.kind == "name" else ""))
            self.take(",")
        return tuple(found)

    def _block(self) -> Block:
        self.expect("{")
        statements: list[Statement] = []
        while not self.take("}"):
            if self.now.kind == "end":
                raise NotUnderstood("the text ends within a block")
            statements.append(self._statement())
        return Block(tuple(statements))

    def _statement(self) -> Statement:
        began = self.at
        try:
            return self._known_statement()
        except (NotUnderstood, DecimalException, ValueError):
            self.at = began
            self._skip_declaration()
            words = [token.text for token in self.tokens[began : self.at]]
            return Opaque(" ".join(words))

    def _known_statement(self) -> Statement:
        token = self.now
        match token.text:
            case "{":
                return self._block()
            case "unchecked":
                self.advance()
                return Block(self._block().statements, is_unchecked=True)
            case "if":
                self.advance()
                condition = self._group()
                then = self._statement()
                otherwise = self._statement() if self.take("else") else None
                return If(condition, then, otherwise, token.line)
            case "for":
                return self._for()
            case "while":
                self.advance()
                return Loop(None, self._group(), None, self._statement())
            case "do":
                self.advance()
                body = self._statement()
                self.expect("while")
                condition = self._group()
                self.expect(";")
                return Loop(None, condition, None, body, at_least_once=True)
            case "return":
                self.advance()
                value = None if self.now.text == ";" else self.expression()
                self.expect(";")
                return Return(value)
            case "break" | "continue" | "_":
                self.advance()
                self.expect(";")
                return Leave(token.text)
            case "revert" | "emit":
                while self.now.text != ";" and self.now.kind != "end":
                    self.advance()
                self.expect(";")
                return Leave("revert") if token.text == "revert" else Block(())
            case "assembly" | "try":
                raise NotUnderstood(token.text)
        return self._simple_statement()

    def _for(self) -> Statement:
        self.advance()
        self.expect("(")
        first = None if self.take(";") else self._simple_statement()
        condition = None if self.now.text == ";" else self.expression()
        self.expect(";")
        after = None if self.now.text == ")" else self.expression()
        self.expect(")")
        return Loop(first, condition, after, self._statement())

    def _group(self) -> Expression:
        self.expect("(")
        expression = self.expression()
        self.expect(")")
        return expression

    def _simple_statement(self) -> Statement:
        line, began = self.now.line, self.at
        if self.now.text == "(" and (several := self._local_tuple()) is not None:
            return several
        self.at = began
        if self.now.kind == "name" and (local := self._local()) is not None:
            return local
        self.at = began
        expression = self.expression()
        self.expect(";")
        return Do(expression, line)

    def _local(self) -> Let | None:
        """`uint256 x = 5;`, or None for what is no declaration."""
        try:
            kind = self.type()
        except NotUnderstood:
            return None
        while self.now.text in _PLACES:
            self.advance()
        if self.now.kind != "name":
            return None
        name = self.advance().text
        if self.now.text not in ("=", ";"):
            return None
        value = self.expression() if self.take("=") else None
        self.expect(";")
        return Let(((kind, name),), value)

    def _local_tuple(self) -> Let | None:
        """`(uint256 x, ) = f();`, or None for an expression that begins with a bracket."""
        self.expect("(")
        variables: list[tuple[str, str] | None] = []
        try:
            while not self.take(")"):
                if self.take(","):
                    variables.append(None)
                    continue
                kind = self.type()
                while self.now.text in _PLACES:
                    self.advance()
                variables.append((kind, self.name()))
                self.take(",")
        except NotUnderstood:
            return None
        if not any(variables) or not self.take("="):
            return None
        value = self.expression()
        self.expect(";")
        return Let(tuple(variables), value)
