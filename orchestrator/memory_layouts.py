"""The tables of the page on memory layouts, written from the record classes and the comments on their fields."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Final

import simulator.evm.kernel.layout as evm_layout
import simulator.fuzz.native.layout as fuzz_layout
from simulator.evm.kernel.records import Record
from simulator.fuzz.sharing import shared_header

_SECTION: Final = re.compile(r" +# (?:-+ )?(.*?)(?: -+)?$")
_COMMENT: Final = re.compile(r"  # (.*)$")


def layout_tables() -> str:
    """One table for each record, those of the EVM first."""
    return "\n".join(_table(module, record) for module in _modules() for record in _records(module))


def _modules() -> Iterator[ModuleType]:
    for package in (evm_layout, fuzz_layout):
        for found in pkgutil.iter_modules(package.__path__):
            yield importlib.import_module(f"{package.__name__}.{found.name}")
    yield shared_header


def _records(module: ModuleType) -> Iterator[type[Record]]:
    for value in vars(module).values():
        if inspect.isclass(value) and issubclass(value, Record) and value.__module__ == module.__name__:
            yield value


def _table(module: ModuleType, record: type[Record]) -> str:
    meaning = " ".join((module.__doc__ or "").split())
    lines = [f"## {record.__name__}", "", f"{meaning} `{module.__name__}`, {record.SIZE} bytes.", ""]
    lines += ["| offset | bytes | field | type | meaning |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *_rows(record)]) + "\n"


def _rows(record: type[Record]) -> Iterator[str]:
    """The fields as their class declares them, with a row for each comment between them."""
    source = inspect.getsource(record)
    lines = source.splitlines()
    declared = {node.lineno: node for node in ast.parse(source).body[0].body}  # type: ignore[attr-defined]
    for number, line in enumerate(lines[1:], 2):
        node = declared.get(number)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield _row(record, node.targets[0].id, node.value, line)
        elif section := _SECTION.fullmatch(line):
            yield f"| | | | | **{_escaped(section[1])}** |"


def _row(record: type[Record], name: str, declaration: ast.expr, line: str) -> str:
    field = vars(record)[name]
    comment = _COMMENT.search(line)
    meaning = _escaped(comment[1]) if comment else ""
    return f"| {field.offset} | {field.bytes} | `{name}` | `{_type(declaration)}` | {meaning} |"


def _type(declaration: ast.expr) -> str:
    """The declaration without the field's position."""
    assert isinstance(declaration, ast.Call)
    arguments = ", ".join(ast.unparse(each) for each in declaration.args)
    name = ast.unparse(declaration.func)
    return f"{name}({arguments})" if arguments else name


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
