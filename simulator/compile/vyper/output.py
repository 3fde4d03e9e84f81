"""Vyper's standard JSON: the input built from sources, the output read into a `Unit`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from simulator.compile.diagnostics import CompilationFailed, Diagnostic, line_at
from simulator.compile.solc.version import Version, format_version
from simulator.errors import CompileError
from simulator.project import Constant, Contract, SourceFile, Unit

_OUTPUTS = ["abi", "ast", "layout", "evm.bytecode", "evm.deployedBytecode", "evm.methodIdentifiers"]
_DEFAULT_EVM: tuple[tuple[Version, str], ...] = (
    ((0, 4, 3), "prague"),
    ((0, 4, 0), "cancun"),
    ((0, 3, 8), "shanghai"),
    ((0, 3, 7), "paris"),
    ((0, 0, 0), "istanbul"),
)
_PLACE = re.compile(r"line (\d+):(\d+)")
_ADDRESS_DIGITS = 42


def standard_input(sources: Mapping[str, str], chosen: Collection[str]) -> bytes:
    """The input for one run that compiles the chosen sources; the others may be imported. Keys have a fixed order."""
    settings: dict[str, Any] = {"outputSelection": dict.fromkeys(sorted(chosen), _OUTPUTS)}
    files = {name: {"content": sources[name]} for name in sorted(sources)}
    return msgspec.json.encode({"language": "Vyper", "sources": files, "settings": settings})


def read_output(output: Mapping[str, Any], sources: Mapping[str, str], version: Version) -> Unit:
    """The unit in an output. Raises `CompilationFailed` when it has errors, `CompileError` when parts are missing."""
    errors = [each for each in output.get("errors") or () if isinstance(each, dict)]
    diagnostics = [_diagnostic(each, sources) for each in errors]
    if any(each.severity == "error" for each in diagnostics):
        raise CompilationFailed(diagnostics)
    try:
        given = output.get("sources") or {}
        files = tuple(SourceFile(int(given[path]["id"]), path, sources.get(path, "")) for path in given)
        contracts = tuple(
            _contract(path, name, contract, (given.get(path) or {}).get("ast"))
            for path, found in (output.get("contracts") or {}).items()
            for name, contract in found.items()
        )
        evm_version = next(name for since, name in _DEFAULT_EVM if version >= since)
        unit = Unit(f"vyper {format_version(version)}", evm_version, files, contracts)
        return msgspec.msgpack.decode(msgspec.msgpack.encode(unit), type=Unit)
    except (LookupError, TypeError, AttributeError, ValueError, msgspec.ValidationError) as error:
        name = f"Vyper {format_version(version)}"
        raise CompileError(f"the output of {name} lacks a part that is needed: {error!r}") from error


def _contract(path: str, name: str, output: Mapping[str, Any], tree: Any) -> Contract:
    creation, runtime = output["evm"]["bytecode"], output["evm"]["deployedBytecode"]
    code, size = _code(runtime), _immutables(output.get("layout"))
    constants = tuple(dict.fromkeys(_constants(tree)))
    return Contract(
        path=path,
        name=name,
        kind="contract" if _code(creation) else "interface",
        abi=tuple(output["abi"]),
        creation_code=_code(creation),
        # Immutables stand behind the code.
        runtime_code=code + bytes(size),
        immutables=((len(code), size),) if size else (),
        creation_source_map=_source_map(creation),
        runtime_source_map=_source_map(runtime),
        constants=constants,
        constant_origins=((path, len(constants)),) if constants else (),
    )


def _code(code: Mapping[str, Any]) -> bytes:
    return bytes.fromhex(str(code.get("object") or "").removeprefix("0x"))


def _immutables(layout: Any) -> int:
    """Bytes of the immutables, from the layout of the code."""
    places = (layout or {}).get("code_layout") or {}
    return max((each["offset"] + each["length"] for each in _entries(places)), default=0)


def _entries(layout: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The variables of a layout; those of imported modules are nested."""
    for each in layout.values():
        if isinstance(each, dict) and isinstance(each.get("offset"), int):
            yield each
        elif isinstance(each, dict):
            yield from _entries(each)


def _source_map(code: Mapping[str, Any]) -> str:
    """The compressed map: a text in older releases, a part of a table in newer ones."""
    given = code.get("sourceMap")
    text = given.get("pc_pos_map_compressed") if isinstance(given, dict) else given
    return text if isinstance(text, str) else ""


def _constants(tree: Any) -> Iterator[Constant]:
    """The literals of a syntax tree, in its order."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(reversed(node))
        elif isinstance(node, dict):
            yield from _literal(node)
            pending.extend(reversed([each for each in node.values() if isinstance(each, dict | list)]))


def _literal(node: Mapping[str, Any]) -> Iterator[Constant]:
    value = node.get("value")
    match node.get("ast_type"):
        case "Int" if isinstance(value, int):
            yield Constant("uint" if value >= 0 else "int", str(value))
        case "Hex" if isinstance(value, str):
            yield Constant("address" if len(value) == _ADDRESS_DIGITS else "bytes", value.lower())
        case "Str" if isinstance(value, str):
            yield Constant("string", "0x" + value.encode("utf-8", "surrogatepass").hex())


def _diagnostic(error: Mapping[str, Any], sources: Mapping[str, str]) -> Diagnostic:
    severity = "warning" if error.get("severity") == "warning" else "error"
    place = error.get("sourceLocation") or {}
    file = str(place.get("file") or "")
    message = str(error.get("message") or error.get("formattedMessage") or "unknown error").strip()
    found = _PLACE.search(str(error.get("formattedMessage") or ""))
    line, column = (int(found[1]), int(found[2]) + 1) if found else (0, 0)
    excerpt = line_at(sources.get(file, ""), line)
    return Diagnostic(severity, str(error.get("type") or ""), message, file, line, column, line, column, excerpt)  # type: ignore[arg-type]
