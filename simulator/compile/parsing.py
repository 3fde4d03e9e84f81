"""Errors of one source by its compiler, which analyses it and makes no code."""

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
PARTIAL = "imports are not looked for, so that only the syntax was checked, not names and types"
SYNTACTIC = frozenset(("ParserError", "DocstringParsingError", "SyntaxError", "Warning"))
MISSING_IMPORT, NO_LICENSE, NO_PRAGMA = "6275", "1878", "3420"


def check_source(source: str, options: CompileOptions, *, run: Runner = run_process) -> tuple[Diagnostic, ...]:
    """Ask the compiler of the source's pragma about it: names and types, too, where it stands alone. What it imports is
    not looked for; then its syntax alone is checked, which a warning says.

    Blocks. Raises `CompileError` when no compiler can be found or run.
    """
    runs = CompilerRuns(options, run, lambda _: None)
    try:
        directives = tuple(scan_directives(source))
        ranges = [parse_range(directive.text) for directive in directives if directive.kind == "pragma"]
    except VersionError as error:
        return (Diagnostic("error", "", str(error), NAME, 1, 1, 1, 1),)
    version = runs.choice.choose(ranges)
    if version is None:
        return (Diagnostic("error", "", "no release of Solidity satisfies the pragmas", NAME, 1, 1, 1, 1),)
    compiler = runs.choice.find(version)
    folder = options.cache / "empty"
    folder.mkdir(parents=True, exist_ok=True)
    alone = all(directive.kind == "pragma" for directive in directives)
    result = run(compiler.command, _input(source, compiler.version, alone=alone), folder, options.timeout)
    if not result.stdout.strip():
        raise CompileError(f"solc {format_version(compiler.version)} ended without output")
    output = decode_json(result.stdout, f"the output of solc {format_version(compiler.version)}")
    entries = output.get("errors") or []
    found = (from_solc(entry, {NAME: source}) for entry in entries if alone or entry.get("type") in SYNTACTIC)
    diagnostics = tuple(each for each in found if each.code not in (MISSING_IMPORT, NO_LICENSE, NO_PRAGMA))
    return diagnostics if alone else (*diagnostics, Diagnostic("warning", "", PARTIAL, NAME, 1, 1, 1, 1))


def _input(source: str, version: Version, *, alone: bool) -> bytes:
    settings: dict[str, object] = {"outputSelection": {"*": {"": ["ast"]}}}
    if not alone and version >= STOPS_AFTER_PARSING:
        settings["stopAfter"] = "parsing"
    return json.dumps({"language": "Solidity", "sources": {NAME: {"content": source}}, "settings": settings}).encode()
