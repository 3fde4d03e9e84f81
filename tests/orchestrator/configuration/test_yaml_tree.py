"""YAML with line numbers, under limits."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator.configuration.yaml_tree import MAX_DEPTH, YamlSyntaxError, parse_json_tree, parse_tree

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers(-(2**256), 2**256) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(TEXTS, children, max_size=4),
    max_leaves=15,
)


class Writer(yaml.SafeDumper):
    """PyYAML writes for readers of YAML 1.1, to whom `1e18` is text; this one also quotes what YAML 1.2 takes for a
    number (its core schema, 10.3.2)."""


Writer.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


@given(VALUES.filter(lambda value: depth(value) <= MAX_DEPTH))
@example("0E0")
@example(["1e18", "-5e-1", ".5e1"])
def test_what_yaml_writes_is_read_back(value: object) -> None:
    """Values come back equal, texts that look like numbers among them."""
    assert parse_tree(yaml.dump(value, Dumper=Writer)).value == value


@given(st.text(max_size=200))
def test_any_text_is_a_tree_or_a_syntax_error(text: str) -> None:
    """No text makes the parser fail in another way, and an error names a line of the text."""
    try:
        lines = list(parse_tree(text).lines.values())
    except YamlSyntaxError as error:
        lines = [error.line]
    assert all(1 <= line <= len(text.splitlines()) + 1 for line in lines)


def test_every_value_has_its_line() -> None:
    """Lines count from 1 and belong to the value, also inside lists."""
    tree = parse_tree("# a comment\nworkers: 2\nsender:\n  - 1\n  - 2\n")
    assert tree.lines == {("workers",): 2, ("sender",): 4, ("sender", 0): 4, ("sender", 1): 5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x10000", 0x10000),
        ("010", 10),
        ("1_000", 1000),
        ("1:30", "1:30"),
        ("0.4", 0.4),
        (".inf", ".inf"),
        ("1e18", 10**18),
        ("1.5e3", 1500),
        ("5e-1", 0.5),
        ("0E0", 0),
        ("'1e18'", "1e18"),
        ("!!str 1e18", "1e18"),
        ("0xe1", 0xE1),
        ("yes", True),
        ("Off", False),
        ("'5'", "5"),
        ("~", None),
        ("2026-01-01", "2026-01-01"),
        ("", None),
    ],
)
def test_scalars_are_read_as_people_mean_them(text: str, value: object) -> None:
    """Hexadecimal and decimal are numbers; sexagesimals, dates and infinities stay text."""
    result = parse_tree(text).value
    assert (type(result), result) == (type(value), value)


def test_an_alias_repeats_its_value() -> None:
    """Anchors work for scalars and lists."""
    assert parse_tree("a: &x [1, 2]\nb: *x\nc: &y 5\nd: *y").value == {"a": [1, 2], "b": [1, 2], "c": 5, "d": 5}


def test_a_key_given_twice_is_reported_with_its_line() -> None:
    """The last value counts, the repetition is known."""
    tree = parse_tree("workers: 1\nworkers: 2\n")
    assert (tree.value, tree.repeated) == ({"workers": 2}, (("workers", 2),))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: [1, 2", 1, "not YAML"),
        ("a: 1\n\tb: 2", 2, "not YAML"),
        ("a: *nothing", 1, "undefined alias"),
        ("a: 1\n---\nb: 2", 2, "another document"),
        ("a: !!python/object/apply:os.system [id]", 1, "means nothing"),
        ("a: !!python/name:os.system x", 1, "means nothing"),
        ("a: !custom 1", 1, "means nothing"),
        ("[" * 50 + "]" * 50, 1, "nested"),
        ("\n? [1]\n: 2", 2, "key"),
        ("a: \x00", 1, "not YAML"),
    ],
)
def test_what_no_configuration_needs_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    """Syntax errors, second documents, tags, deep nesting and odd keys name their line."""
    with pytest.raises(YamlSyntaxError, match=message) as caught:
        parse_tree(text)
    assert caught.value.line == line


def test_aliases_cannot_multiply_without_end() -> None:
    """A "billion laughs" file ends at the limit of values instead of filling memory."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 8)]
    with pytest.raises(YamlSyntaxError, match="more than"):
        parse_tree("\n".join(lines))


@pytest.mark.parametrize("text", [r'a: "b\0"', r'"a\0": b', r'a: ["\0"]'])
def test_no_value_and_no_key_holds_nul(text: str) -> None:
    """No path and no name can; the line is named."""
    with pytest.raises(YamlSyntaxError, match="NUL") as caught:
        parse_tree(f"# first\n{text}")
    assert caught.value.line == 2


def test_an_alias_within_its_anchor_ends_at_the_limit_of_depth() -> None:
    """A list that holds itself has no end."""
    with pytest.raises(YamlSyntaxError, match="nested more than"):
        parse_tree("a: &a [*a]")


def test_json_may_be_indented_by_tabs_and_has_lines() -> None:
    """YAML refuses tabs; JSON's values come from a reader of JSON, so that escapes mean what they mean there."""
    tree = parse_json_tree('{\n\t"a": {\n\t\t"b": ["\\ud83d\\ude00", 010]}}'.replace("010", "10"))
    assert tree.value == {"a": {"b": ["😀", 10]}}
    assert tree.lines[("a", "b")] == 3


@pytest.mark.parametrize(("text", "line"), [('{\n"a": 1,\n}', 3), ("{" * 100_000, 1), ('{"a": ' + "9" * 5000 + "}", 1)])
def test_broken_json_names_its_line(text: str, line: int) -> None:
    """Whatever is wrong with it, it is a syntax error."""
    with pytest.raises(YamlSyntaxError) as caught:
        parse_json_tree(text)
    assert caught.value.line == line
