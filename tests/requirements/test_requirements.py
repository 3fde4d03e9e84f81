"""Requirements and tests in step: each id of a manifest has a test that names it, each named id is in a manifest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
MANIFESTS = sorted(HERE.glob("seed_*.txt"))
ID = re.compile(r"\d{3}-[SD]?\d+[a-z]?")


def demanded(manifest: Path) -> list[str]:
    """The ids of one manifest, in its order."""
    lines = manifest.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


@cache
def named() -> dict[str, list[str]]:
    """Ids in `requirement` marks of all tests, with the places that name them."""
    places: dict[str, list[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for line, requirement in marks(path):
            places.setdefault(requirement, []).append(f"{path.relative_to(TESTS)}:{line}")
    return places


def marks(path: Path) -> Iterator[tuple[int, str]]:
    source = path.read_text(encoding="utf-8")
    if "requirement(" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requirement":
            yield from ((node.lineno, each.value) for each in node.args if isinstance(each, ast.Constant))


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.stem)
def test_each_requirement_has_a_test(manifest: Path):
    """A manifest lists an id once, in its form, and some test names it."""
    ids = demanded(manifest)
    assert ids
    assert len(ids) == len(set(ids))
    assert all(ID.fullmatch(each) for each in ids)
    assert [each for each in ids if each not in named()] == []


def test_each_named_requirement_exists():
    """A slip of the pen in a mark would prove nothing. Seeds without a manifest are not judged."""
    known = {each for manifest in MANIFESTS for each in demanded(manifest)}
    seeds = {manifest.stem.removeprefix("seed_") for manifest in MANIFESTS}
    unknown = {each: places for each, places in named().items() if each[:3] in seeds and each not in known}
    assert unknown == {}
