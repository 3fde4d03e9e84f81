"""The compiler's syntax tree in its compact form (`nodeType`, solc 0.4.12 and later), indexed for look-ups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Node = Mapping[str, Any]


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order of the tree's keys."""
    for value in node.values():
        if isinstance(value, dict):
            if "nodeType" in value:
                yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, dict) and "nodeType" in item)


def walk(node: Node) -> Iterator[Node]:
    """A node and everything below it, parents before children. Iterative: trees of any depth are walked."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        below = list(children(current))
        pending.extend(reversed(below))


def _identified(root: Node) -> Iterator[tuple[int, Node]]:
    return ((node["id"], node) for node in walk(root) if isinstance(node.get("id"), int))


class AstIndex:
    """The trees of one unit by node id. A definition is a node directly below a source unit, such as a contract, a free
    function, a file-level constant, an enum; a member is one directly below a contract. `folded` remembers the values
    of constants by the ids of their declarations."""

    def __init__(self, trees: Mapping[str, Node]) -> None:
        self.folded: dict[int, Any] = {}
        self._nodes: dict[int, Node] = {}
        self._definition_of: dict[int, Node] = {}
        self._member_of: dict[int, Node] = {}
        self._path_of: dict[int, str] = {}
        self._contracts: dict[tuple[str, str], Node] = {}
        for path, tree in trees.items():
            for definition in children(tree):
                self._add(path, definition)

    def _add(self, path: str, definition: Node) -> None:
        if definition.get("nodeType") == "ContractDefinition":
            self._contracts[path, definition["name"]] = definition
            for member in children(definition):
                self._member_of.update((identifier, member) for identifier, _ in _identified(member))
        for identifier, node in _identified(definition):
            self._nodes[identifier] = node
            self._definition_of[identifier] = definition
        if isinstance(definition.get("id"), int):
            self._path_of[definition["id"]] = path

    def node(self, identifier: object) -> Node | None:
        return self._nodes.get(identifier) if isinstance(identifier, int) else None

    def definition_of(self, identifier: object) -> Node | None:
        """The definition that a node belongs to, or is."""
        return self._definition_of.get(identifier) if isinstance(identifier, int) else None

    def member_of(self, identifier: object) -> Node | None:
        """The member of a contract that a node belongs to, or is; None for nodes that are in no contract."""
        return self._member_of.get(identifier) if isinstance(identifier, int) else None

    def path_of(self, node: Node) -> str:
        """The source unit of a node."""
        definition = self.definition_of(node.get("id")) or {}
        return self._path_of.get(definition.get("id", -1), "")

    def contract(self, path: str, name: str) -> Node:
        """The definition of a contract. Raises `KeyError` when the trees have none of that name."""
        return self._contracts[path, name]

    def bases(self, contract: Node) -> tuple[Node, ...]:
        """A contract and all it inherits from, most derived first."""
        found = (self.node(identifier) for identifier in contract.get("linearizedBaseContracts", ()))
        return tuple(node for node in found if node is not None)
