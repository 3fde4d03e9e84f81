"""The test file: the code under test, and for each call what it was seen to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from simulator.printable import shortened
from tools.analysis.test_generator.calls import GeneratedCall
from tools.analysis.test_generator.sandbox import ObservedOutcome
from tools.analysis.test_generator.subject import Subject

PRIMITIVES = frozenset(("number", "string", "boolean", "undefined", "bigint"))
BUILT_IN_ERRORS = frozenset(
    ("Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError")
)
MAX_TITLE_LENGTH = 90
MAX_PARTS = 50
_VERBS = {"": "returns", "all": "yields", "first": "begins to yield"}
Case = tuple[GeneratedCall, ObservedOutcome]


def jest_file(subject: Subject, cases: Mapping[str, Sequence[Case]], untested: Mapping[str, str]) -> str:
    """A file that Jest runs as it is. Each test loads the code anew, so that none depends on another. `untested` gives
    for functions without a case why they have none."""
    described = "\n\n".join(_describe(name, chosen, subject) for name, chosen in cases.items() if chosen)
    comment = "// The code under test, as an object of its functions."
    notes = "".join(f"// No test for {name}: {reason}.\n" for name, reason in untested.items())
    return f"{comment}\nconst load = () => {subject.expression};\n{notes}\n{described}\n"


def _describe(name: str, cases: Sequence[Case], subject: Subject) -> str:
    titles: set[str] = set()
    tests = "\n\n".join(_test(call, outcome, subject, titles) for call, outcome in cases)
    return f"describe({json.dumps(name)}, () => {{\n{tests}\n}});"


def _test(call: GeneratedCall, outcome: ObservedOutcome, subject: Subject, titles: set[str]) -> str:
    expectation = _expectation(call, outcome, subject)
    start = "async () =>" if outcome.awaited else "() =>"
    title = json.dumps(_title(call, outcome, titles), ensure_ascii=False)
    taken = call.key if call.key == call.local else f"{call.key}: {call.local}"
    return f"  it({title}, {start} {{\n    const {{ {taken} }} = load();\n    {expectation}\n  }});"


def _title(call: GeneratedCall, outcome: ObservedOutcome, titles: set[str]) -> str:
    given = f"for ({call.arguments})" if call.arguments else "without arguments"
    if outcome.kind == "throw":
        what = f"throws {outcome.name or outcome.source or 'a value'} {given}"
    else:
        verb = "resolves to" if outcome.awaited else _VERBS[outcome.iterates]
        kind = f"{'an' if outcome.type == 'object' else 'a'} {outcome.type}"
        what = f"{verb} {kind if outcome.source is None else outcome.source} {given}"
    title = shortened(what, MAX_TITLE_LENGTH)
    number = 2
    while title in titles:
        title = f"{what[: MAX_TITLE_LENGTH - 5]}… ({number})"
        number += 1
    titles.add(title)
    return title


def _expectation(call: GeneratedCall, outcome: ObservedOutcome, subject: Subject) -> str:
    invocation = f"[...{call.invocation}]" if outcome.iterates == "all" else call.invocation
    if outcome.kind == "throw":
        return _throws(invocation, outcome, subject)
    if outcome.iterates and outcome.source is None:
        return f'expect(typeof {call.invocation}).toBe("object");'
    if outcome.iterates == "first":
        return _first_items(invocation, outcome.source or "")
    target = f"await {invocation}" if outcome.awaited else invocation
    if outcome.source is None:
        return f"expect(typeof {f'({target})' if outcome.awaited else target}).toBe({json.dumps(outcome.type)});"
    matcher = "toBe" if outcome.type in PRIMITIVES or outcome.source == "null" else "toEqual"
    return f"expect({target}).{matcher}({outcome.source});"


def _first_items(invocation: str, items: str) -> str:
    return (
        f"const items = {invocation};\n    const wanted = {items};\n"
        "    expect(wanted.map(() => items.next().value)).toEqual(wanted);"
    )


def _throws(invocation: str, outcome: ObservedOutcome, subject: Subject) -> str:
    """A message that the code itself writes is expected; one of the engine may change with its version."""
    parts = [part for part in re.split(r"[^\w .,:;!?'-]+", outcome.message) if len(part) > 2][:MAX_PARTS]
    own = any(part in subject.body for part in parts)
    if not outcome.name:
        start = "await expect" if outcome.awaited else "expect"
        return f"{start}({_thrower(invocation, outcome)}){'.rejects' if outcome.awaited else ''}.toBeDefined();"
    wanted = json.dumps(outcome.message, ensure_ascii=False) if own else outcome.name
    if not own and outcome.name not in BUILT_IN_ERRORS:
        wanted = ""
    if outcome.awaited:
        return f"await expect({invocation}).rejects.toThrow({wanted});"
    return f"expect(() => {invocation}).toThrow({wanted});"


def _thrower(invocation: str, outcome: ObservedOutcome) -> str:
    if outcome.awaited:
        return invocation
    return f"(() => {{ try {{ {invocation}; return undefined; }} catch (thrown) {{ return {{ thrown }}; }} }})()"
