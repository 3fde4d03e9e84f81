"""Purity: functions whose result depends on their arguments alone and that change nothing around them.

Judged by the syntax tree: what is forbidden is named by rule, whatever it would do when run. Words in strings and
comments, and local names that hide a global, are no violations.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from tools.analysis.javascript.bindings import Bindings
from tools.analysis.javascript.tree import parse
from tools.analysis.problems import Problem, problem
from tools.analysis.syntax_tree import descendants, field, text

IMPURE_GLOBALS = frozenset(
    [
        "window",
        "document",
        "global",
        "globalThis",
        "self",
        "navigator",
        "location",
        "history",
        "localStorage",
        "sessionStorage",
        "indexedDB",
        "console",
        "process",
        "fs",
        "Buffer",
        "Date",
        "performance",
        "crypto",
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "EventSource",
        "Worker",
        "alert",
        "prompt",
        "confirm",
        "setTimeout",
        "setInterval",
        "setImmediate",
        "clearTimeout",
        "clearInterval",
        "clearImmediate",
        "requestAnimationFrame",
        "queueMicrotask",
        "eval",
        "Function",
        "require",
        "arguments",
        "__dirname",
        "__filename",
        "Deno",
        "Bun",
    ]
)
IMPURE_MEMBERS = {
    "Math": frozenset(("random",)),
    "Error": frozenset(("captureStackTrace",)),
    "Temporal": frozenset(("Now",)),
    "Object": frozenset(("assign", "defineProperty", "defineProperties", "setPrototypeOf", "freeze", "seal")),
    "Reflect": frozenset(("set", "defineProperty", "deleteProperty", "setPrototypeOf", "construct", "apply")),
    "Atomics": frozenset(("store", "add", "sub", "and", "or", "xor", "exchange", "compareExchange", "wait", "notify")),
}
MUTATORS = {
    "push": "concat or spread",
    "pop": "slice",
    "shift": "slice",
    "unshift": "concat or spread",
    "splice": "toSpliced",
    "sort": "toSorted",
    "reverse": "toReversed",
    "fill": "map",
    "copyWithin": "slice and concat",
}
DOUBTFUL_METHODS = frozenset(("set", "add", "delete", "clear"))
"""What changes a Map or a Set, and gives a new object in libraries of immutable data."""
BORROWING = frozenset(("call", "apply", "bind"))
IMPURE_MODULES = frozenset(
    [
        "fs",
        "fs/promises",
        "http",
        "https",
        "http2",
        "net",
        "tls",
        "dgram",
        "dns",
        "child_process",
        "cluster",
        "worker_threads",
        "os",
        "process",
        "crypto",
        "readline",
        "inspector",
        "v8",
        "vm",
        "timers",
        "timers/promises",
        "perf_hooks",
        "repl",
        "tty",
    ]
)
PURE_CONSTRUCTORS = frozenset(
    ("Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError", "AggregateError")
)
FORBIDDEN_NODES = {
    "for_statement": "for loops change a counter: use map, filter or reduce",
    "for_in_statement": "for-in and for-of loops work by side effects: use map, filter or reduce",
    "while_statement": "while loops need something that changes: use recursion or reduce",
    "do_statement": "do loops need something that changes: use recursion or reduce",
    "class_declaration": "classes hold state: use functions and plain objects",
    "class": "classes hold state: use functions and plain objects",
    "this": "this makes the result depend on the caller's object: pass it as an argument",
    "super": "super belongs to classes, which hold state",
    "with_statement": "with makes names depend on an object",
    "update_expression": "++ and -- change a variable: compute a value instead",
    "augmented_assignment_expression": "compound assignment changes a variable: declare a const instead",
    "debugger_statement": "debugger stops the program",
}


def purity_violations(code: str) -> tuple[Problem, ...]:
    """Every violation in `code`, which must have no syntax errors, in the order of their places."""
    root, source = parse(code), code.encode("utf-8", "surrogatepass")
    bindings = Bindings(root)
    found = (
        problem(node, source, rule, message)
        for node in descendants(root)
        if node.is_named
        for rule, message in _violations(node, bindings)
    )
    return tuple(sorted(set(found)))


def purity_doubts(code: str) -> tuple[Problem, ...]:
    """Possible violation, depending on the object, which the syntax does not reveal."""
    root, source = parse(code), code.encode("utf-8", "surrogatepass")
    called = (field(node, "function") for node in descendants(root) if node.type == "call_expression")
    methods = ((node, _key(node)) for node in called if node is not None and node.type == "member_expression")
    message = "{}() changes its object when that is a Map or a Set: make another one instead"
    doubts = (
        problem(node, source, "doubtful-method", message.format(method))
        for node, method in methods
        if method in DOUBTFUL_METHODS
    )
    return tuple(sorted(set(doubts)))


def _violations(node: Node, bindings: Bindings) -> Iterator[tuple[str, str]]:
    if node.type in FORBIDDEN_NODES:
        yield node.type.removesuffix("_statement").replace("_", "-"), FORBIDDEN_NODES[node.type]
    match node.type:
        case "assignment_expression" if not _is_export(node):
            yield "reassignment", "assignment changes a variable or an object: declare a const instead"
        case "unary_expression" if node.children[0].type == "delete":
            yield "delete", "delete changes an object: use destructuring with a rest pattern"
        case "identifier" | "shorthand_property_identifier":
            yield from _global(node, bindings)
        case "member_expression" | "subscript_expression":
            yield from _member(node, bindings)
        case "variable_declarator":
            yield from _taken_apart(node, bindings)
        case "call_expression":
            yield from _call(node, bindings)
        case "new_expression":
            yield from _construction(node, bindings)
        case "import_statement" | "export_statement":
            yield from _module(field(node, "source"))


def _is_export(node: Node) -> bool:
    """`module.exports = …` and `exports.name = …` are how CommonJS declares, not mutations."""
    left = field(node, "left")
    target = text(left).replace(" ", "") if left is not None else ""
    top = node.parent is not None and node.parent.type in ("expression_statement", "assignment_expression")
    return top and (target == "module.exports" or target.startswith(("module.exports.", "exports.")))


def _global(node: Node, bindings: Bindings) -> Iterator[tuple[str, str]]:
    name = text(node)
    if name not in IMPURE_GLOBALS or bindings.is_bound(name, node) or _is_required(node):
        return
    yield "impure-global", f"{name} reaches outside of the function: pass what is needed as an argument"


def _is_required(node: Node) -> bool:
    """`require("x")` is judged by its module."""
    call = node.parent
    return text(node) == "require" and call is not None and call.type == "call_expression"


def _member(node: Node, bindings: Bindings) -> Iterator[tuple[str, str]]:
    receiver = field(node, "object")
    if receiver is None or receiver.type != "identifier":
        return
    name, member = text(receiver), _key(node)
    if member in IMPURE_MEMBERS.get(name, ()) and not bindings.is_bound(name, node):
        yield "impure-member", f"{name}.{member} changes objects or answers differently each time"


def _key(node: Node) -> str:
    """The name in `object.name` and `object["name"]`, empty for a computed one."""
    key, index = field(node, "property"), field(node, "index")
    if key is not None:
        return text(key)
    return text(index).strip("\"'") if index is not None and index.type == "string" else ""


def _taken_apart(node: Node, bindings: Bindings) -> Iterator[tuple[str, str]]:
    """`const { random } = Math` is as impure as `Math.random`."""
    pattern, value = field(node, "name"), field(node, "value")
    if pattern is None or value is None or pattern.type != "object_pattern" or value.type != "identifier":
        return
    impure = IMPURE_MEMBERS.get(text(value), frozenset())
    for part in pattern.named_children:
        member = text(field(part, "key") or part)
        if member in impure and not bindings.is_bound(text(value), node):
            yield "impure-member", f"{text(value)}.{member} changes objects or answers differently each time"


def _call(node: Node, bindings: Bindings) -> Iterator[tuple[str, str]]:
    called = field(node, "function")
    if called is None:
        return
    if called.type in ("member_expression", "subscript_expression"):
        method, holder = _key(called), field(called, "object")
        if method in BORROWING and holder is not None:
            method = _key(holder)
        if method in MUTATORS:
            yield "mutating-method", f"{method}() changes its array: use {MUTATORS[method]}"
    elif called.type == "import":
        yield "dynamic-import", "import() loads code while the program runs"
    elif text(called) == "require" and not bindings.is_bound("require", node):
        arguments = field(node, "arguments")
        given = arguments.named_children if arguments is not None else []
        yield from _module(given[0] if given else None)


def _construction(node: Node, bindings: Bindings) -> Iterator[tuple[str, str]]:
    constructor = field(node, "constructor")
    name = text(constructor) if constructor is not None else ""
    if name not in PURE_CONSTRUCTORS or bindings.is_bound(name, node):
        yield "construction", f"new {name[:40]} makes an object with state; only errors may be constructed"


def _module(source: Node | None) -> Iterator[tuple[str, str]]:
    name = text(source).strip("\"'`").removeprefix("node:") if source is not None else ""
    if name in IMPURE_MODULES:
        yield "impure-module", f"module {name} acts on the world outside of the program"
