"""The result of a compilation, in the form that every other part reads: contracts, sources, constants.

A `Project` is written once as MessagePack and read by each worker, so it holds plain values only.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import msgspec

from simulator.printable import encodable, is_encodable

ContractKind = Literal["contract", "library", "interface", "abstract"]


class LinkReference(msgspec.Struct, frozen=True):
    """Place of a library's 20-byte address in a code: byte offset and the library's `path:Name`."""

    offset: int
    library: str


class Constant(msgspec.Struct, frozen=True):
    """A literal of the source. `type` is `uint`, `int`, `address`, `string` or `bytes`; `value` is decimal for numbers
    (negative for `int`), 0x-hex for the others (a string's UTF-8 bytes)."""

    type: Literal["uint", "int", "address", "string", "bytes"]
    value: str


class SourceFile(msgspec.Struct, frozen=True):
    """`path` is the source unit's name as the compiler knows it; `id` is its index in source maps. `operations` are
    those of its syntax tree, as `simulator.compile.syntax.operations` packs them; empty where there was no tree."""

    id: int
    path: str
    content: str
    operations: bytes = b""


class Contract(msgspec.Struct, frozen=True):
    """One compiled contract. Codes have zero bytes where library addresses (`*_links`) and immutables
    (`immutables`: start and length of each hole in the runtime code) belong. Source maps are solc's compressed text.
    `constant_origins` says how many of the constants, one behind the other, come from which source.
    `library_signatures` are those of a library's functions, also of those that its ABI leaves out. `bases` are the
    `path:Name` of all that the contract inherits from. `storage` is the layout of its variables, as
    `simulator.storage.layout` packs it; empty where the compiler gave none."""

    path: str
    name: str
    kind: ContractKind
    abi: tuple[dict[str, Any], ...]
    creation_code: bytes
    runtime_code: bytes
    creation_links: tuple[LinkReference, ...] = ()
    runtime_links: tuple[LinkReference, ...] = ()
    immutables: tuple[tuple[int, int], ...] = ()
    creation_source_map: str = ""
    runtime_source_map: str = ""
    constants: tuple[Constant, ...] = ()
    library_signatures: tuple[str, ...] = ()
    constant_origins: tuple[tuple[str, int], ...] = ()
    bases: tuple[str, ...] = ()
    storage: bytes = b""

    @property
    def full_name(self) -> str:
        """`path:Name`, unique in the project."""
        return f"{self.path}:{self.name}"


class Unit(msgspec.Struct, frozen=True):
    """One run of one compiler: source ids are unique within it. `via_ir`: by way of solc's intermediate language, whose
    optimizer lets several operations share instructions."""

    compiler: str
    evm_version: str
    sources: tuple[SourceFile, ...]
    contracts: tuple[Contract, ...]
    via_ir: bool = False


class Project(msgspec.Struct, frozen=True):
    """All units of a target. `root` is the folder that relative source paths start from, as text; where its name is not
    UTF-8, `root_bytes` is the name itself. `named_sources` are those that the user pointed at, without their imports;
    empty where that is not known."""

    root: str
    units: tuple[Unit, ...]
    root_bytes: bytes = b""
    named_sources: tuple[str, ...] = ()

    @classmethod
    def in_folder(cls, root: Path, units: tuple[Unit, ...], named_sources: tuple[str, ...] = ()) -> Project:
        """The project of a folder, whatever bytes its name is made of."""
        name = os.fspath(root)
        return cls(encodable(name), units, b"" if is_encodable(name) else os.fsencode(name), named_sources)

    @property
    def folder(self) -> Path:
        """The folder itself, to open files in it."""
        return Path(os.fsdecode(self.root_bytes) if self.root_bytes else self.root)

    @property
    def contracts(self) -> tuple[Contract, ...]:
        return tuple(contract for unit in self.units for contract in unit.contracts)
