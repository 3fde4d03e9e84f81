"""solc's standard JSON: the input built from sources and settings, the output read into a `Unit`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from simulator.compile.diagnostics import CompilationFailed, Diagnostic, from_solc
from simulator.compile.options import CompilerSettings
from simulator.compile.solc.version import Version, format_version, parse_version
from simulator.compile.syntax.ast import AstIndex
from simulator.compile.syntax.constants import ConstantFinder
from simulator.compile.syntax.operations import pack_operations
from simulator.errors import CompileError
from simulator.project import Contract, ContractKind, LinkReference, SourceFile, Unit
from simulator.storage.layout import packed_layout

_CODE_OUTPUTS = ("object", "sourceMap", "linkReferences")
OUTPUT_SELECTION = {
    "*": {
        "": ["ast"],
        "*": [
            "abi",
            "storageLayout",
            "evm.methodIdentifiers",
            *(f"evm.bytecode.{output}" for output in _CODE_OUTPUTS),
            *(f"evm.deployedBytecode.{output}" for output in (*_CODE_OUTPUTS, "immutableReferences")),
        ],
    }
}
CHECKED_ARITHMETIC: Version = (0, 8, 0)
_PLACEHOLDER = re.compile(r"__.{38}")
_DEFAULT_EVM: tuple[tuple[Version, str], ...] = (
    ((0, 8, 31), "osaka"),
    ((0, 8, 30), "prague"),
    ((0, 8, 25), "cancun"),
    ((0, 8, 20), "shanghai"),
    ((0, 8, 18), "paris"),
    ((0, 8, 7), "london"),
    ((0, 8, 5), "berlin"),
    ((0, 5, 14), "istanbul"),
    ((0, 5, 5), "petersburg"),
    ((0, 0, 0), "byzantium"),
)


def default_evm_version(version: Version) -> str:
    """The fork that a release of solc compiles for when it is not told."""
    return next(name for since, name in _DEFAULT_EVM if version >= since)


def standard_input(
    sources: Mapping[str, str], settings: CompilerSettings, remappings: Iterable[str], version: Version
) -> bytes:
    """The input for one run, with keys in a fixed order so that equal input is equal bytes."""
    chosen: dict[str, Any] = {
        "outputSelection": OUTPUT_SELECTION,
        "remappings": list(remappings),
        "optimizer": {"enabled": bool(settings.optimizer), "runs": _or(settings.optimizer_runs, 200)},
    }
    if settings.optimizer_details:
        chosen["optimizer"]["details"] = settings.optimizer_details
    if settings.evm_version:
        chosen["evmVersion"] = settings.evm_version
    if settings.via_ir is not None and version >= (0, 8, 13):
        chosen["viaIR"] = settings.via_ir
    if settings.revert_strings and version >= (0, 6, 2):
        chosen["debug"] = {"revertStrings": settings.revert_strings}
    if metadata := _metadata(settings, version):
        chosen["metadata"] = metadata
    if settings.libraries:
        chosen["libraries"] = _libraries(settings.libraries)
    files = {name: {"content": sources[name]} for name in sorted(sources)}
    return msgspec.json.encode({"language": "Solidity", "sources": files, "settings": chosen})


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _metadata(settings: CompilerSettings, version: Version) -> dict[str, Any]:
    """Without a choice, the hash that the release appends by itself, which tells contracts of equal code apart."""
    chosen = "none" if settings.cbor_metadata is False else settings.bytecode_hash
    if chosen is None or version < (0, 6, 0):
        return {}
    metadata: dict[str, Any] = {"bytecodeHash": chosen}
    if version >= (0, 8, 18) and settings.cbor_metadata is False:
        metadata["appendCBOR"] = False
    return metadata


def _libraries(libraries: Mapping[str, bytes]) -> dict[str, dict[str, str]]:
    grouped: dict[str, dict[str, str]] = {}
    for full_name, address in libraries.items():
        path, _, name = full_name.rpartition(":")
        grouped.setdefault(path, {})[name] = "0x" + address.hex()
    return grouped


def decode_json(data: bytes, what: str) -> dict[str, Any]:
    """A JSON object. Raises `CompileError` naming `what` for anything else."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CompileError(f"{what} is not JSON: {error}") from error
    except RecursionError as error:
        raise CompileError(f"{what} is not usable: it is nested too deeply") from error
    if not isinstance(value, dict):
        raise CompileError(f"{what} is not a JSON object")
    return value


def diagnostics_of(output: Mapping[str, Any], sources: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """All messages of an output, in its order."""
    errors = output.get("errors") or output.get("Errors") or ()
    return tuple(from_solc(error, sources) for error in errors if isinstance(error, dict))


def read_output(output: Mapping[str, Any], sources: Mapping[str, str], version: str, evm_version: str | None) -> Unit:
    """The unit in a solc output. Raises `CompilationFailed` when it has errors, `CompileError` when it has not the
    parts of `OUTPUT_SELECTION`."""
    try:
        diagnostics = diagnostics_of(output, sources)
        if any(each.severity == "error" for each in diagnostics):
            raise CompilationFailed(diagnostics)
        unit = _read_unit(output, sources, parse_version(version), evm_version)
        # What is written for the workers must also be what they can read.
        return msgspec.msgpack.decode(msgspec.msgpack.encode(unit), type=Unit)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError, msgspec.ValidationError) as error:
        raise CompileError(f"the output of solc {version} lacks a part that is needed: {error!r}") from error


def _read_unit(
    output: Mapping[str, Any], sources: Mapping[str, str], version: Version, evm_version: str | None
) -> Unit:
    units = output.get("sources") or {}
    checked = version >= CHECKED_ARITHMETIC
    files = tuple(
        SourceFile(units[path]["id"], path, sources.get(path, ""), pack_operations(units[path]["ast"], checked=checked))
        for path in units
    )
    index = AstIndex({path: units[path]["ast"] for path in units})
    finder = ConstantFinder(index)
    contracts = tuple(
        _read_contract(path, name, contract, index, finder)
        for path, found in (output.get("contracts") or {}).items()
        for name, contract in found.items()
    )
    return Unit(format_version(version), evm_version or default_evm_version(version), files, contracts)


def _read_contract(
    path: str, name: str, output: Mapping[str, Any], index: AstIndex, finder: ConstantFinder
) -> Contract:
    creation, runtime = output["evm"]["bytecode"], output["evm"]["deployedBytecode"]
    definition = index.contract(path, name)
    kind = _kind(definition, bool(creation["object"]))
    constants, origins = finder.constants_of(definition)
    return Contract(
        path=path,
        name=name,
        kind=kind,
        abi=tuple(output["abi"]),
        creation_code=_code(creation["object"]),
        runtime_code=_code(runtime["object"]),
        creation_links=_links(creation.get("linkReferences") or {}),
        runtime_links=_links(runtime.get("linkReferences") or {}),
        immutables=_holes(runtime.get("immutableReferences") or {}),
        creation_source_map=creation.get("sourceMap") or "",
        runtime_source_map=runtime.get("sourceMap") or "",
        constants=constants,
        constant_origins=origins,
        library_signatures=tuple(output["evm"].get("methodIdentifiers") or {}) if kind == "library" else (),
        storage=packed_layout(output.get("storageLayout")) if kind == "contract" else b"",
        bases=tuple(f"{index.path_of(base)}:{base['name']}" for base in index.bases(definition)[1:]),
    )


def _kind(definition: Mapping[str, Any], has_code: bool) -> ContractKind:
    kind = definition.get("contractKind", "contract")
    if kind in ("library", "interface"):
        return "library" if kind == "library" else "interface"
    is_abstract = definition.get("abstract") or not definition.get("fullyImplemented", True) or not has_code
    return "abstract" if is_abstract else "contract"


def _code(text: str) -> bytes:
    return bytes.fromhex(_PLACEHOLDER.sub("0" * 40, text.removeprefix("0x")))


def _links(references: Mapping[str, Any]) -> tuple[LinkReference, ...]:
    links = [
        LinkReference(place["start"], f"{path}:{name}")
        for path, names in references.items()
        for name, places in names.items()
        for place in places
    ]
    return tuple(sorted(links, key=lambda link: link.offset))


def _holes(references: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((place["start"], place["length"]) for places in references.values() for place in places))
