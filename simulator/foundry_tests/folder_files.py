"""Files beside exported tests: the `foundry.toml` that makes their folder a project of its own, and a README."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from simulator.compile.options import CompilerSettings
from simulator.compile.sources.imports import SourceGraph
from simulator.compile.sources.remappings import Remapping, apply_remappings
from simulator.compile.sources.scan import scan_directives
from simulator.errors import CorpusError
from simulator.foundry_tests.model import ExportedWorld
from simulator.printable import is_encodable, one_line, shown_path

MARK = "# Written by Monotreme."
GAS_LIMIT = "18446744073709551615"
"""What a test may use: the calls of a sequence have a gas limit each, and none for all of them."""


@dataclass(frozen=True)
class Compilation:
    """Settings that the tests were compiled with: `remappings` are relative to `root`, `solc` is the release, empty
    for several."""

    root: Path
    remappings: tuple[Remapping, ...]
    settings: CompilerSettings
    solc: str = ""
    evm_version: str = ""


def forge_remappings(graph: SourceGraph) -> tuple[Remapping, ...]:
    """Remappings by which forge finds what our compiler found, from whatever folder: those of the project, and one for
    each import that they do not lead to its file."""
    found = list(graph.remappings)
    for unit in graph.units.values():
        targets = dict(unit.imports)
        for directive in scan_directives(unit.content):
            path = directive.text
            target = targets.get(path)
            if directive.kind != "import" or path.startswith(("./", "../")) or target is None:
                continue
            if target == path or apply_remappings(found, unit.name, path) != target:
                found.append(Remapping(path, target))
    return tuple(dict.fromkeys(found))


def foundry_toml(compilation: Compilation, world: ExportedWorld, libraries: Iterable[str]) -> str:
    """The settings by which `forge test` runs the tests in their folder. `libraries` are `path:Name:0xaddress`."""
    entries: dict[str, object] = {
        "src": ".",
        "test": ".",
        "script": ".",
        "libs": [],
        "out": "out",
        "cache_path": "cache",
        "allow_paths": [str(compilation.root)],
        "auto_detect_remappings": False,
        "remappings": [_forge_form(each, compilation.root) for each in compilation.remappings],
        "libraries": [_absolute_library(each, compilation.root) for each in libraries],
        **dict(_compiler_entries(compilation)),
        "gas_limit": GAS_LIMIT,
        "block_gas_limit": world.block.gas_limit,
    }
    if world.code_size_limit is not None:
        entries["code_size_limit"] = world.code_size_limit
    lines = [f"{key} = {_toml(value)}" for key, value in entries.items() if value != [] or key == "libs"]
    return "\n".join([f"{MARK} README.md says how the tests of this folder are run.", "[profile.default]", *lines, ""])


def world_entries(world: ExportedWorld, sender: bytes, balance: int) -> str:
    """Further lines for tests that forge deploys itself, whose world is set before they are created."""
    block = world.block
    entries = {
        "block_number": block.number,
        "block_timestamp": block.timestamp,
        "chain_id": block.chain_id,
        "block_base_fee_per_gas": block.base_fee,
        "block_coinbase": f"0x{block.coinbase:040x}",
        "block_prevrandao": f"0x{block.prevrandao:064x}",
        "gas_price": world.gas_price,
        "sender": f"0x{sender.hex()}",
        "initial_balance": hex(balance),
    }
    return "".join(f"{key} = {_toml(value)}\n" for key, value in entries.items())


def readme(folder: Path, arguments: Iterable[str], names: Iterable[str]) -> str:
    """Write how the tests of a folder are run, for readers: with these `arguments` of forge. `names` are lines of
    the list."""
    text = _README.replace("HERE", one_line(str(folder))).replace("ARGUMENTS", " ".join(arguments))
    return "\n".join([text, *(f"* {name}" for name in names), ""])


README_TITLE = "# Findings as Foundry tests"
_README = f"""\
{README_TITLE}

Each file replays one finding on a fresh deployment, at the addresses and in the world of the campaign. `test_reproduce`
fails as long as the fault is there and passes once it is mended.

    cd HERE
    forge ARGUMENTS

* No library is needed, forge-std neither. `foundry.toml` finds the project's sources where they lay when the tests were
  written, and sets what a test cannot: the block's gas limit, the compiler and its settings.
* A file may be copied into the `test` folder of a Foundry project, where it stays as a regression test. Imports start
  from the project's folder; the first lines of a file name the flags that stand for `foundry.toml`.
* `Verified` in a file's first lines says that it was executed when it was written, by which program, and that it failed
  as it must. `Unverified` says why it was not, or what came out instead.
* Tests of a forked chain read the URL of a node from the environment variable `ECHIDNA_RPC_URL`.

The tests:
"""


def _compiler_entries(compilation: Compilation) -> Iterator[tuple[str, object]]:
    settings = compilation.settings
    values = {
        "solc": compilation.solc or None,
        "evm_version": compilation.evm_version or settings.evm_version,
        "optimizer": bool(settings.optimizer),
        "optimizer_runs": settings.optimizer_runs,
        "via_ir": settings.via_ir,
        "bytecode_hash": "none" if settings.cbor_metadata is False else settings.bytecode_hash,
        "cbor_metadata": settings.cbor_metadata,
        "revert_strings": settings.revert_strings,
    }
    yield from ((key, value) for key, value in values.items() if value is not None)


def _forge_form(remapping: Remapping, root: Path) -> str:
    # forge takes a relative path for one below its own root, and then misses what the file imports.
    target = _absolute(remapping.target, root)
    prefix = f"{remapping.prefix}={target}"
    return f"{_absolute(remapping.context, root)}:{prefix}" if remapping.context else prefix


def _absolute_library(text: str, root: Path) -> str:
    path, name, address = text.rsplit(":", 2)
    return f"{_absolute(path, root)}:{name}:{address}"


def _absolute(path: str, root: Path) -> str:
    whole = os.path.normpath(root / path)
    return f"{whole}/" if path.endswith("/") else whole


def _toml(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str) and not is_encodable(value):
        raise CorpusError(f"foundry.toml cannot hold {shown_path(value)}, which is not UTF-8")
    # Strings, numbers and truth values are written alike; DEL is the one character that TOML wants escaped besides.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
