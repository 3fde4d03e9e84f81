"""The constants that a contract's sources mention: the words a fuzzer's dictionary starts from.

Taken are literals, folded constant expressions, hashes of literal texts, bounds of types and sizes of enums, from the
contract, what it inherits, and every library function, free function, constant or contract that these refer to.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any

from simulator.compile.syntax.ast import AstIndex, Node, children, walk
from simulator.compile.syntax.constant_values import Address, Folded, Number, Text
from simulator.compile.syntax.folding import fold
from simulator.project import Constant

MAX_CONSTANTS = 10_000
_MAX_BYTES = 4096
_WORD = 1 << 256
_ADDRESS_DIGITS = 40
# Test scaffolding would fill the dictionary with signatures of console.log and addresses of cheatcodes.
_SCAFFOLDING = re.compile(r"(^|/)(forge-std|ds-test|hardhat/console\.sol|console2?\.sol)(/|$)")
_ASSEMBLY_LITERAL = re.compile(r"\b(?:0x[0-9a-fA-F]+|\d+)\b|\"[^\"\n]*\"")


class ConstantFinder:
    """Finds the constants of the contracts of one unit. What definitions have in common is searched once."""

    def __init__(self, index: AstIndex) -> None:
        self._index = index
        self._constants: dict[int, tuple[Constant, ...]] = {}
        self._referred: dict[int, tuple[Node, ...]] = {}

    def constants_of(self, contract: Node) -> tuple[tuple[Constant, ...], tuple[tuple[str, int], ...]]:
        """The constants of one contract without repetition, most derived contract first and in the order of the
        source, at most `MAX_CONSTANTS`; and how many of them, one behind the other, come from which source."""
        found: dict[Constant, str] = {}
        for definition in self._reachable(contract):
            if definition["id"] not in self._constants:
                self._constants[definition["id"]] = tuple(dict.fromkeys(_constants_in(definition, self._index)))
            path = self._index.path_of(definition)
            for constant in self._constants[definition["id"]]:
                found.setdefault(constant, path)
            if len(found) >= MAX_CONSTANTS:
                break
        paths = list(found.values())[:MAX_CONSTANTS]
        origins = tuple((path, len(list(run))) for path, run in groupby(paths))
        return tuple(found)[:MAX_CONSTANTS], origins

    def _reachable(self, contract: Node) -> Iterator[Node]:
        """The contract, its bases, and the definitions that they refer to, directly or not."""
        pending = deque(self._index.bases(contract) or (contract,))
        seen = {node["id"] for node in pending}
        while pending:
            definition = pending.popleft()
            if _SCAFFOLDING.search(self._index.path_of(definition)):
                continue
            yield definition
            if definition["id"] not in self._referred:
                self._referred[definition["id"]] = tuple(_referred(definition, self._index))
            fresh = [target for target in self._referred[definition["id"]] if target["id"] not in seen]
            seen.update(target["id"] for target in fresh)
            pending.extend(fresh)


def _referred(definition: Node, index: AstIndex) -> Iterator[Node]:
    """The definitions that one refers to, each once."""
    identifiers = dict.fromkeys(found for node in walk(definition) for found in _references(node))
    targets = {target["id"]: target for each in identifiers for target in _meant(each, index)}
    yield from targets.values()


def _meant(identifier: object, index: AstIndex) -> tuple[Node, ...]:
    """Return the node to search for constants when a node of this id is referred to."""
    target = index.definition_of(identifier)
    if target is None:
        return ()
    if target.get("nodeType") != "ContractDefinition":
        return (target,)
    if target.get("contractKind") != "library":
        return index.bases(target)
    # Of a library of mathematics only what is called belongs to the contract.
    member = index.member_of(identifier)
    return () if member is None else (member,)


def _references(node: Node) -> Iterator[object]:
    """The ids that a node refers to: one for a name, those of all Solidity names in a block of assembly."""
    if "referencedDeclaration" in node:
        yield node["referencedDeclaration"]
    for reference in node.get("externalReferences") or ():
        yield reference.get("declaration")


def _constants_in(root: Node, index: AstIndex) -> Iterator[Constant]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield from _constants_at(node, index)
        pending.extend(reversed([child for child in children(node) if not _is_signature(node, child)]))


def _constants_at(node: Node, index: AstIndex) -> Iterator[Constant]:
    match node.get("nodeType"):
        case "EnumDefinition":
            yield from (Constant("uint", str(value)) for value in range(len(node.get("members", ())) + 1))
        case "YulLiteral":
            yield from _yul_literal(node)
        case "InlineAssembly" if isinstance(node.get("operations"), str):
            yield from _assembly_text(node["operations"])
        case _:
            yield from _fixed_bytes(node)
            folded = fold(node, index)
            if folded is not None:
                yield from _as_constants(folded)


def _fixed_bytes(node: Node) -> Iterator[Constant]:
    """A hexadecimal number of whole bytes may also stand for a value of type bytesN, which is aligned otherwise."""
    value = node.get("value")
    if node.get("nodeType") == "Literal" and node.get("kind") == "number" and isinstance(value, str):
        digits = value.replace("_", "")[2:]
        if value[:2] == "0x" and digits and len(digits) % 2 == 0 and len(digits) != _ADDRESS_DIGITS:
            yield Constant("bytes", "0x" + digits.lower())


def _is_signature(parent: Node, child: Node) -> bool:
    """Return whether a literal is the signature given to `abi.encodeWithSignature`, which is a name and no value."""
    if parent.get("nodeType") != "FunctionCall" or child.get("nodeType") != "Literal":
        return False
    callee = parent.get("expression") or {}
    return callee.get("memberName") == "encodeWithSignature" and parent["arguments"][0] is child


def _as_constants(folded: Folded) -> Iterator[Constant]:
    match folded:
        case Number(value):
            yield from _number(value)
        case Address(value):
            yield Constant("address", f"0x{value:040x}")
        case Text(data, is_string):
            yield from _bytes(data, is_string=is_string)


def _number(value: Fraction) -> Iterator[Constant]:
    if value.denominator != 1 or not -(_WORD // 2) <= value < _WORD:
        return
    number = int(value)
    yield Constant("int" if number < 0 else "uint", str(number))


def _bytes(data: bytes, *, is_string: bool) -> Iterator[Constant]:
    if len(data) <= _MAX_BYTES:
        yield Constant("string" if is_string else "bytes", "0x" + data.hex())


def _yul_literal(node: Node) -> Iterator[Constant]:
    value: Any = node.get("value")
    if node.get("kind") == "string":
        data = bytes.fromhex(node["hexValue"]) if node.get("hexValue") else str(value or "").encode()
        yield from _bytes(data, is_string=True)
    elif node.get("kind") == "number" and isinstance(value, str):
        yield from _number(Fraction(int(value, 0)))


def _assembly_text(text: str) -> Iterator[Constant]:
    """Literals of an assembly block of solc before 0.6, which gives its text only."""
    for match in _ASSEMBLY_LITERAL.finditer(text):
        literal = match[0]
        if literal.startswith('"'):
            yield from _bytes(literal[1:-1].encode(), is_string=True)
        else:
            yield from _number(Fraction(int(literal, 16) if literal[:2] == "0x" else int(literal)))
