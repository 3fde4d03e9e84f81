"""Coverage of calls: lines, and the arms of branches, noted by marks in the code as it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as default

from tree_sitter import Node

from tools.analysis.javascript.tree import FUNCTIONS
from tools.analysis.syntax_tree import descendants, field
from tools.analysis.test_generator.subject import Subject

Place = tuple[str, int]
"""("line", its number), or ("arm", which one)."""
_FUNCTION_DECLARATIONS = frozenset(("function_declaration", "generator_function_declaration"))
_LISTS = frozenset(("program", "statement_block", "switch_case", "switch_default"))
_MARK = "reached"


@dataclass(frozen=True, slots=True)
class MarkedCode:
    """`function` is the source of a JavaScript function from an array to the functions under test. The code sets the
    element of the array that stands at the index of a place when it comes there."""

    function: str
    places: tuple[Place, ...]

    def of_kind(self, kind: str) -> int:
        """All places of a kind, as `reached` gives them."""
        return sum(1 << index for index, place in enumerate(self.places) if place[0] == kind)


def reached(hits: str) -> int:
    """The places of the elements that were set, as the sandbox reports them: the bit of each place's index."""
    return int(hits[::-1] or "0", 16)


def marked(subject: Subject) -> MarkedCode:
    """Mark every line that holds a statement, and every arm: both sides of if and ?:, cases, right-hand sides of &&, ||
    and ??. The line of a function is reached when the function is called."""
    name = _MARK
    while name in subject.body:
        name += "_"
    marks = _Marks(name)
    lines: set[int] = set()
    for node in descendants(subject.root):
        line = node.start_point.row + 1
        if _is_statement(node) and line not in lines and marks.in_statement(node, ("line", line)):
            lines.add(line)
        _mark_arms(node, marks)
    body = marks.inserted_in(subject.body)
    return MarkedCode(f"({name}) => {subject.opening}{body}{subject.ending}", tuple(marks.places))


def percent(reached: int, found: int) -> int:
    """Whole percent, rounded down so that 100 means all; 100 when there is nothing to cover."""
    return 100 * reached // found if found else 100


def _is_statement(node: Node) -> bool:
    return node.is_named and node.type.endswith(("_statement", "_declaration")) and node.type != "empty_statement"


def _mark_arms(node: Node, marks: _Marks) -> None:
    match node.type:
        case "if_statement":
            body, other = field(node, "consequence"), field(node, "alternative")
            if body is None:
                return
            if other is None:
                marks.where_otherwise(body)
            else:
                marks.around(other.named_children[-1])
            marks.around(body)
        case "ternary_expression":
            for side in (field(node, "consequence"), field(node, "alternative")):
                marks.in_expression(side)
        case "binary_expression" if any(child.type in ("&&", "||", "??") for child in node.children):
            marks.in_expression(field(node, "right"))
        case "switch_case" | "switch_default":
            body = next((child for child in node.named_children if child != field(node, "value")), None)
            if body is not None:
                marks.before(body)


@dataclass(slots=True)
class _Marks:
    """Insertions by byte of the code. Outer nodes are marked before inner ones, so that of what begins at one byte the
    outer comes first, and of what ends there the inner."""

    name: str
    places: list[Place] = default(default_factory=list)
    _openings: defaultdict[int, list[str]] = default(default_factory=lambda: defaultdict(list))
    _endings: defaultdict[int, list[str]] = default(default_factory=lambda: defaultdict(list))
    _directives: dict[int, Node | None] = default(default_factory=dict)

    def in_statement(self, node: Node, place: Place) -> bool:
        """Mark where a statement is executed. False for one that no mark can stand at."""
        if node.type in _FUNCTION_DECLARATIONS:
            return self._in_function(field(node, "body"), place)
        parent = node.parent
        if parent is None:
            return False
        if parent.type in _LISTS:
            last = self._last_directive(parent)
            if last is not None and node.start_byte <= last.start_byte:
                self._end(last, f";{self._set(place)};")
            else:
                self._open(node, f"{self._set(place)};")
        elif parent.type in ("labeled_statement", "for_statement") and node != _body_of(parent):
            return self.in_statement(parent, place)
        else:
            self._wrap(node, place)
        return True

    def around(self, node: Node) -> None:
        """Mark an arm that is a statement."""
        self._wrap(node, self._arm())

    def before(self, node: Node) -> None:
        """Mark an arm that begins with a statement of a list."""
        self._open(node, f"{self._set(self._arm())};")

    def where_otherwise(self, node: Node) -> None:
        """Mark the arm that an `if` without else does not have."""
        self._end(node, f" else {{{self._set(self._arm())};}}")

    def in_expression(self, node: Node | None) -> None:
        """Mark an arm that is an expression."""
        if node is not None:
            self._open(node, f"({self._set(self._arm())},")
            self._end(node, ")")

    def inserted_in(self, body: str) -> str:
        source = body.encode("utf-8", "surrogatepass")
        pieces: list[bytes] = []
        done = 0
        for at in sorted({*self._openings, *self._endings}):
            pieces += [source[done:at], "".join((*self._endings[at], *self._openings[at])).encode()]
            done = at
        return b"".join((*pieces, source[done:])).decode("utf-8", "surrogatepass")

    def _in_function(self, body: Node | None, place: Place) -> bool:
        if body is None:
            return False
        self._end(self._last_directive(body) or body.children[0], f";{self._set(place)};")  # or: the brace
        return True

    def _last_directive(self, block: Node) -> Node | None:
        """Once for each block, which may have very many statements."""
        if block.id not in self._directives:
            self._directives[block.id] = next(reversed(_directives(block)), None)
        return self._directives[block.id]

    def _wrap(self, node: Node, place: Place) -> None:
        self._open(node, f"{{{self._set(place)};")
        self._end(node, "}")

    def _arm(self) -> Place:
        return ("arm", len(self.places))

    def _set(self, place: Place) -> str:
        self.places.append(place)
        return f"{self.name}[{len(self.places) - 1}]=1"

    def _open(self, node: Node, inserted: str) -> None:
        self._openings[node.start_byte].append(inserted)

    def _end(self, node: Node, inserted: str) -> None:
        self._endings[node.end_byte].insert(0, inserted)


def _body_of(statement: Node) -> Node | None:
    return field(statement, "body") if statement.type == "for_statement" else None


def _directives(block: Node) -> list[Node]:
    """The strings that a function body begins with, which mean something only as long as they come first."""
    holder = block.parent
    if block.type == "statement_block" and (holder is None or holder.type not in FUNCTIONS):
        return []
    return list(_leading_strings(block))


def _leading_strings(block: Node) -> Iterator[Node]:
    for node in block.named_children:
        if node.type == "comment":
            continue
        if node.type != "expression_statement" or node.named_children[0].type != "string":
            return
        yield node
