"""Compiler input is reproducible; output of old and new compilers is read alike."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.compile.diagnostics import CompilationFailed
from simulator.compile.options import CompilerSettings
from simulator.compile.solc.standard_json import decode_json, default_evm_version, read_output, standard_input
from simulator.compile.solc.version import Version
from simulator.errors import CompileError
from simulator.project import LinkReference, Unit

RECORDED = Path(__file__).with_name("recorded")


RECORDED_OUTPUT = msgspec.json.decode((RECORDED / "solc-0.8.30.json").read_bytes())["output"]


def recorded_unit(version: str) -> Unit:
    document = msgspec.json.decode((RECORDED / f"solc-{version}.json").read_bytes())
    sources = {name: each["content"] for name, each in document["input"]["sources"].items()}
    return read_output(document["output"], sources, version, None)


def settings_of(text: bytes) -> dict[str, object]:
    settings = msgspec.json.decode(text)["settings"]
    assert isinstance(settings, dict)
    return settings


@pytest.mark.parametrize(("version", "evm"), [("0.4.26", "byzantium"), ("0.8.30", "prague")])
def test_contracts_of_old_and_new_compilers_are_read(version: str, evm: str) -> None:
    """Kinds, codes, links, source maps and sources are there for each."""
    unit = recorded_unit(version)
    by_name = {each.name: each for each in unit.contracts}
    assert (unit.compiler, unit.evm_version) == (version, evm)
    assert [(source.path, source.id) for source in unit.sources] == [("C.sol", 0)]
    assert {name: each.kind for name, each in by_name.items()} == {
        "Base": "contract",
        "C": "contract",
        "I": "interface",
        "Lib": "library",
        "Unused": "contract",
    }
    main = by_name["C"]
    assert main.creation_links
    assert all(link.library == "C.sol:Lib" for link in (*main.creation_links, *main.runtime_links))
    for link in main.runtime_links:
        assert main.runtime_code[link.offset : link.offset + 20] == bytes(20)
    assert main.creation_code.endswith(main.runtime_code[-20:])
    assert main.runtime_source_map
    assert main.abi[0]["name"] == "f"
    assert by_name["I"].creation_code == b""


def test_immutables_become_holes() -> None:
    """Places and lengths are those of the runtime code, whatever variable they belong to."""
    code = {"object": "60" * 80, "sourceMap": "", "linkReferences": {"L.sol": {"L": [{"start": 3, "length": 20}]}}}
    references = {"immutableReferences": {"7": [{"start": 40, "length": 32}], "9": [{"start": 2, "length": 32}]}}
    contract = {"abi": [], "evm": {"bytecode": code, "deployedBytecode": code | references}}
    ast = {
        "nodeType": "SourceUnit",
        "nodes": [{"nodeType": "ContractDefinition", "id": 1, "name": "A", "abstract": True}],
    }
    unit = read_output(
        {"contracts": {"A.sol": {"A": contract}}, "sources": {"A.sol": {"id": 0, "ast": ast}}},
        {"A.sol": ""},
        "0.8.30",
        "paris",
    )
    assert unit.contracts[0].immutables == ((2, 32), (40, 32))
    assert unit.contracts[0].runtime_links == (LinkReference(3, "L.sol:L"),)
    assert unit.contracts[0].kind == "abstract"
    assert unit.evm_version == "paris"


def test_errors_of_the_compiler_are_raised_as_diagnostics() -> None:
    """Warnings alone are no failure."""
    warning = {"severity": "warning", "message": "careful"}
    read_output({"errors": [warning], "sources": {}}, {}, "0.8.30", None)
    with pytest.raises(CompilationFailed) as caught:
        read_output({"errors": [warning, {"severity": "error", "message": "wrong"}]}, {}, "0.8.30", None)
    assert [each.severity for each in caught.value.diagnostics] == ["warning", "error"]


def test_output_without_what_is_needed_is_an_error() -> None:
    """The message says which part is missing."""
    output = {"contracts": {"A.sol": {"A": {"abi": []}}}, "sources": {"A.sol": {"id": 0, "ast": {"nodes": []}}}}
    with pytest.raises(CompileError, match=r"lacks a part that is needed.*evm"):
        read_output(output, {}, "0.8.30", None)


JUNK = st.sampled_from([None, 7, -1, "text", "0x", [], {}, [None], {"a": 1}, True, [[1]], {"nodeType": "Literal"}])


def damage(value: object, data: st.DataObject) -> object:
    """The value with one part of it, wherever it lies, replaced by something else."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: damage(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 9)):
        index = data.draw(st.integers(0, len(value) - 1))
        return [*value[:index], damage(value[index], data), *value[index + 1 :]]
    return data.draw(JUNK)


@given(st.data())
def test_damaged_output_is_read_or_refused(data: st.DataObject) -> None:
    """Build-info comes from outside: whatever it holds, the failure is a typed one."""
    warning = {"severity": "warning", "message": "m", "sourceLocation": {"file": "C.sol", "start": 1, "end": 2}}
    output = damage(RECORDED_OUTPUT | {"errors": [warning]}, data)
    assert isinstance(output, dict | list | str | int | None)
    if isinstance(output, dict):
        with suppress(CompileError):
            read_output(output, {"C.sol": "source"}, "0.8.30", None)


def test_equal_sources_give_equal_input() -> None:
    """The bytes do not depend on the order in which sources were found, so they can be a cache key."""
    settings = CompilerSettings(optimizer=True)
    first = standard_input({"a": "1", "b": "2"}, settings, ["x=y"], (0, 8, 30))
    assert first == standard_input({"b": "2", "a": "1"}, settings, ["x=y"], (0, 8, 30))


def test_settings_are_given_as_far_as_the_release_knows_them() -> None:
    """Old compilers reject keys that came later."""
    settings = CompilerSettings(
        optimizer=True, optimizer_runs=7, via_ir=True, evm_version="istanbul", libraries={"a/L.sol:L": b"\x11" * 20}
    )
    new = settings_of(standard_input({}, settings, [], (0, 8, 30)))
    assert new["optimizer"] == {"enabled": True, "runs": 7}
    assert (new["viaIR"], new["evmVersion"]) == (True, "istanbul")
    assert new["libraries"] == {"a/L.sol": {"L": "0x" + "11" * 20}}
    old = settings_of(standard_input({}, settings, [], (0, 5, 17)))
    assert "viaIR" not in old


@pytest.mark.parametrize(
    ("settings", "release", "metadata"),
    [
        (CompilerSettings(), (0, 8, 30), None),
        (CompilerSettings(bytecode_hash="none"), (0, 8, 30), {"bytecodeHash": "none"}),
        (CompilerSettings(cbor_metadata=True), (0, 8, 30), None),
        (CompilerSettings(cbor_metadata=False), (0, 8, 30), {"bytecodeHash": "none", "appendCBOR": False}),
        (CompilerSettings(bytecode_hash="ipfs", cbor_metadata=False), (0, 8, 17), {"bytecodeHash": "none"}),
        (CompilerSettings(bytecode_hash="none"), (0, 5, 17), None),
    ],
)
def test_code_ends_as_the_release_ends_it_by_itself(
    settings: CompilerSettings, release: Version, metadata: dict[str, Any] | None
) -> None:
    """With the metadata's hash: sources state hashes of such code, and equal contracts differ in it."""
    assert settings_of(standard_input({}, settings, [], release)).get("metadata") == metadata


def test_the_default_fork_follows_the_release() -> None:
    """The table is that of the compiler's changelog."""
    expected = {(0, 4, 26): "byzantium", (0, 5, 13): "petersburg", (0, 8, 4): "istanbul", (0, 8, 24): "shanghai"}
    assert {version: default_evm_version(version) for version in expected} == expected


def test_what_is_not_a_json_object_is_an_error() -> None:
    """The message names the document."""
    for data in (b"", b"[]", b"{", b"\xff", b'{"a":' * 100_000):
        with pytest.raises(CompileError, match="the thing is not"):
            decode_json(data, "the thing")
