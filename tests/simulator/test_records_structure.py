"""Memory is read and written by the fields of records; raw loads and stores are left for bytes."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.evm.kernel.records import Record
from simulator.fuzz.sharing.shared_header import SharedHeader

ROOT = Path(__file__).resolve().parents[2] / "simulator"
# Where loads and stores of fields are defined: for Python, for the compiler, for the host, for another process.
DEFINING = (
    "evm/kernel/plain/memory_access.py",
    "evm/kernel/plain/records.py",
    "evm/kernel/compiler/memory_access.py",
    "evm/kernel/compiler/record_types.py",
    "evm/host_memory.py",
)
OF_THE_TWINS = ("evm/kernel/compiler/", "evm/kernel/native/", "evm/kernel/plain/")
WORD_ACCESSORS = {f"{way}_{kind}" for way in ("load", "store") for kind in ("i64", "i32", "word")}
BYTE_ACCESSORS = {"load_u8", "store_u8", "load_word_be", "store_word_be", "copy_memory", "zero_memory"}
HOST_ACCESSORS = {"read_bytes", "write_bytes", "string_at", "memmove", "memset"}
# Little-endian numbers in return data: the selector of a panic, the start of a text.
OF_RETURN_DATA = {
    ("evm/kernel/calls/leaving.py", "load_i64"),
    ("fuzz/native/oracles.py", "load_i32"),
    ("fuzz/native/oracles.py", "load_i64"),
    ("fuzz/native/sites.py", "load_i32"),
}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name not in DEFINING:
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Name and node of every call of a plain function or of a module's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name | ast.Attribute):
                yield function.id if isinstance(function, ast.Name) else function.attr, node


def names_an_offset(call: ast.Call) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("offset", "SIZE")
        for argument in call.args[:1]
        for node in ast.walk(argument)
    )


def test_no_load_or_store_is_at_a_named_offset() -> None:
    """A field is read as `record.field`, an element as `array[index]`."""
    accessors = WORD_ACCESSORS | BYTE_ACCESSORS | HOST_ACCESSORS
    found = [
        f"{name}:{call.lineno}"
        for name, tree in sources()
        for accessor, call in calls(tree)
        if accessor in accessors and names_an_offset(call)
    ]
    assert found == []


def test_raw_accessors_of_the_kernel_are_those_of_bytes() -> None:
    """Code, calldata, return data, the EVM's memory, RLP: everything else is a field of a record."""
    used = {
        (name, accessor)
        for name, tree in sources()
        for accessor, _ in calls(tree)
        if accessor in WORD_ACCESSORS and not name.startswith(OF_THE_TWINS)
    }
    assert used == OF_RETURN_DATA


def test_no_constant_stands_for_an_offset() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in sources()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == "offset"
    ]
    assert found == []


@pytest.mark.parametrize("record", [*Record.__subclasses__(), SharedHeader], ids=lambda record: record.__name__)
def test_fields_of_a_record_lie_inside_of_it_and_are_aligned(record: type[Record]) -> None:
    for field in record.fields():
        assert field.offset >= 0
        assert field.offset + field.bytes <= record.SIZE
        assert field.offset % min(field.bytes or 1, 8) == 0


@pytest.mark.nightly
def test_a_type_checker_refuses_wrong_fields_records_and_values(tmp_path: Path) -> None:
    """Without a plugin. `record_mistakes.txt` names the kind of error beside each mistake."""
    source = (ROOT.parent / "tests" / "support" / "record_mistakes.txt").read_text(encoding="utf-8")
    program = tmp_path / "mistakes.py"
    program.write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)]
    done = subprocess.run(command, cwd=ROOT.parent, capture_output=True, text=True)
    expected = [
        (number, line.rsplit("# ", 1)[1])
        for number, line in enumerate(source.splitlines(), 1)
        if line.startswith(" ") and "  # " in line
    ]
    refused = re.findall(r"mistakes\.py:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)
    assert [(int(number), kind) for number, kind in refused] == expected
