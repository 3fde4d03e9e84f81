"""Syntax of one source by its compiler, which parses it and goes no further."""

from __future__ import annotations

import json

from simulator.compile.diagnostics import Diagnostic, from_solc
from simulator.compile.options import CompileOptions
from simulator.compile.solc.runner import Runner, run_process
from simulator.compile.solc.standard_json import decode_json
from simulator.compile.solc.version import Version, VersionError, format_version, parse_range
from simulator.compile.source_compilation import CompilerRuns
from simulator.compile.sources.scan import scan_directives
from simulator.errors import CompileError

NAME = "input.sol"
STOPS_AFTER_PARSING: Version = (0, 7, 3)
SYNTACTIC = frozenset(("ParserError", "DocstringParsingError", "SyntaxError", "Warning"))
MISSING_IMPORT, NO_LICENSE, NO_PRAGMA = "6275", "1878", "3420"


def parse_source(source: str, options: CompileOptions, *, run: Runner = run_process) -> tuple[Diagnostic, ...]:
    """What the compiler of the source's pragma says about its syntax; what it imports is not looked for.

    Blocks. Raises `CompileError` when no compiler can be found or run.
    """
    runs = CompilerRuns(options, run, lambda _: None)
    try:
        ranges = [parse_range(directive.text) for directive in scan_directives(source) if directive.kind == "pragma"]
    except VersionError as error:
        return (Diagnostic("error", "", str(error), NAME, 1, 1, 1, 1),)
    version = runs.choice.choose(ranges)
    if version is None:
        return (Diagnostic("error", "", "no release of Solidity satisfies the pragmas", NAME, 1, 1, 1, 1),)
    compiler = runs.choice.find(version)
    folder = options.cache / "empty"
    folder.mkdir(parents=True, exist_ok=True)
    result = run(compiler.command, _input(source, compiler.version), folder, options.timeout)
    if not result.stdout.strip():
        raise CompileError(f"solc {format_version(compiler.version)} ended without output")
    output = decode_json(result.stdout, f"the output of solc {format_version(compiler.version)}")
    entries = output.get("errors") or []
    found = (from_solc(entry, {NAME: source}) for entry in entries if entry.get("type") in SYNTACTIC)
    return tuple(each for each in found if each.code not in (MISSING_IMPORT, NO_LICENSE, NO_PRAGMA))


def _input(source: str, version: Version) -> bytes:
    settings: dict[str, object] = {"outputSelection": {"*": {"": ["ast"]}}}
    if version >= STOPS_AFTER_PARSING:
        settings["stopAfter"] = "parsing"
    return json.dumps({"language": "Solidity", "sources": {NAME: {"content": source}}, "settings": settings}).encode()
