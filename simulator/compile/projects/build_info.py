"""Build-info files of Foundry and Hardhat: a compiler's standard-JSON input and output in one document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from simulator.compile.cache_key import cache_key
from simulator.compile.diagnostics import CompilationFailed
from simulator.compile.projects.targets import find_root
from simulator.compile.solc.standard_json import OUTPUT_SELECTION, decode_json, read_output
from simulator.compile.solc.version import Version, parse_range, parse_version
from simulator.compile.source_compilation import CompilerRuns, distinct_units
from simulator.compile.sources.scan import scan_directives
from simulator.errors import CompileError
from simulator.policy import Policy, Request
from simulator.project import Project, Unit

MAX_BUILD_INFO = 1 << 30
_SETTINGS = ("remappings", "optimizer", "evmVersion", "viaIR", "debug", "metadata", "libraries")
"""What is kept of a recorded compilation's settings. Others, such as the model checker's, start further programs."""


def compile_build_info(files: Sequence[Path], runs: CompilerRuns) -> Project:
    """The project in build-info files: from their outputs where these are complete, else their inputs are compiled
    again with the release that they name. Raises `CompileError` naming the file for anything else."""
    return Project(str(find_root(files, files, runs.policy)), distinct_units(_unit(file, runs) for file in files))


def read_build_info_unit(file: Path, runs: CompilerRuns) -> Unit | None:
    """The unit in a build-info file, None when its output lacks something that is needed. Parsed once: the cache has
    it afterwards."""
    data = _read(file, runs.policy)
    key = cache_key("build-info", data)
    if unit := runs.cache.get(key):
        return unit
    document = decode_json(data, str(file))
    output = document.get("output") or _separate_output(file, runs.policy)
    if not isinstance(document.get("input"), dict) or not isinstance(output, dict):
        return None
    try:
        unit = read_output(output, _sources(document["input"], file), _version_text(document), _evm_version(document))
    except CompilationFailed:
        raise
    except CompileError:
        return None
    settings = document["input"].get("settings")
    unit = msgspec.structs.replace(unit, via_ir=isinstance(settings, dict) and settings.get("viaIR") is True)
    runs.cache.put(key, unit)
    return unit


def _unit(file: Path, runs: CompilerRuns) -> Unit:
    return read_build_info_unit(file, runs) or _compile_again(file, runs)


def _read(file: Path, policy: Policy) -> bytes:
    """A file in its own folder: a link to another place is not followed."""
    try:
        with policy.open(Request("build-info", str(file), (file.parent.resolve(),)), file) as opened:
            if os.fstat(opened.fileno()).st_size > MAX_BUILD_INFO:
                raise CompileError(f"{file}: larger than {MAX_BUILD_INFO >> 20} MiB")
            return opened.read()
    except OSError as error:
        raise CompileError(f"{file}: cannot be read: {error.strerror}") from error


def _separate_output(file: Path, policy: Policy) -> dict[str, Any] | None:
    """Hardhat 3 writes the output beside the input, as `<id>.output.json`."""
    beside = file.with_suffix(".output.json")
    if not beside.is_file():
        return None
    output = decode_json(_read(beside, policy), str(beside)).get("output")
    return output if isinstance(output, dict) else None


def _compile_again(file: Path, runs: CompilerRuns) -> Unit:
    document = decode_json(_read(file, runs.policy), str(file))
    given = document.get("input", document)
    if not isinstance(given, dict) or not isinstance(given.get("sources"), dict):
        raise CompileError(f"{file}: not a build-info file: it has no standard-JSON input with sources")
    sources = _sources(given, file)
    recorded = _table(given.get("settings"))
    settings = {key: recorded[key] for key in _SETTINGS if key in recorded} | {"outputSelection": OUTPUT_SELECTION}
    contents = {name: {"content": content} for name, content in sources.items()}
    text = msgspec.json.encode({"language": "Solidity", "sources": contents, "settings": settings})
    version = _version(document, sources, file, runs)
    return runs.cached(text, version) or runs.unit(
        text, sources, runs.choice.find(version), _text(settings.get("evmVersion"))
    )


def _version(document: dict[str, Any], sources: dict[str, str], file: Path, runs: CompilerRuns) -> Version:
    """The release that the file names, else one that its sources' pragmas allow."""
    if text := _version_text(document):
        return parse_version(text)
    directives = (each for source in sources.values() for each in scan_directives(source))
    version = runs.choice.choose([parse_range(each.text) for each in directives if each.kind == "pragma"])
    if version is None:
        raise CompileError(f"{file}: no release of Solidity satisfies all pragmas of its sources")
    return version


def _sources(given: dict[str, Any], file: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, source in _table(given.get("sources")).items():
        content = _table(source).get("content")
        if not isinstance(content, str):
            raise CompileError(f"{file}: the source {name} has no content")
        texts[name] = content
    return texts


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _version_text(document: dict[str, Any]) -> str:
    return str(document.get("solcVersion") or document.get("solcLongVersion") or "")


def _evm_version(document: dict[str, Any]) -> str | None:
    return _text(_table(document["input"].get("settings")).get("evmVersion"))
