"""Decoded codes of a machine, and the coverage identities that they belong to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.coverage.code_map import CodeKind, CodeMap
from simulator.errors import KernelError
from simulator.evm.arenas import BumpArena, read_bytes, write_bytes
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel import commands
from simulator.evm.kernel.layout.block_range import BlockRange
from simulator.evm.kernel.layout.code import CREATION, RUNTIME, Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.kernel.records import Int32s, References, pointer
from simulator.evm.kernel.words import Word

Enter = Callable[[int], int]

# Reserved address space, not memory.
INSTRUCTIONS_BYTES = 512 << 20
CONSTANTS_BYTES = 256 << 20
JUMPS_BYTES = 128 << 20
BYTES_BYTES = 64 << 20
RECORDS_BYTES = 16 << 20
CELLS_BYTES = 64 << 20
SCRATCH_BYTES = 64 << 20
SINK_CELLS = 1 << 20
# Codes that match no compiled contract have cells of their own, up to this many of them.
ANONYMOUS_LIMIT = 512
PADDING = 64
FIRST_INDEX_SIZE = 1 << 12


@dataclass(frozen=True)
class CoverageIdentity:
    """Identity of a code for coverage. Codes with an equal identity and the same blocks share their cells.

    `contract` is `path:Name`. `code_size` is the length of the code proper, without constructor arguments; 0 means all.
    """

    contract: str
    code_size: int = 0


Identify = Callable[[bytes, bool], CoverageIdentity | None]
Substitute = Callable[[str, bytes, bool], bytes | None]
"""What runs instead of a contract's code, given the contract's `path:Name`, the code and whether it creates; None for
the code itself."""


@dataclass(frozen=True)
class CoveredCode:
    """One identity: its map, and its cells as they are at any moment (`map.cells` little-endian unsigned 64 bits)."""

    map: CodeMap
    cells: npt.NDArray[np.uint64]
    cells_address: int


@dataclass(frozen=True)
class _Mark:
    records: list[Code]
    used: tuple[int, ...]


class CodeStore:
    """Registers codes: decodes them, gives them cells, enters them in the kernel's index. `on_added` hears of the
    record of each. With `substitute` other instructions run than the code holds; contracts that look at the code, such
    as CODECOPY and EXTCODEHASH, see it as it was."""

    def __init__(self, context: Context, enter: Enter, identify: Identify | None, *, checked: bool) -> None:
        self.codes: list[CoveredCode] = []
        self._context = context
        self._enter = enter
        self.identify = identify
        self._checked = checked
        self._identities: dict[tuple[str, CodeKind, bytes], int] = {}
        self._creations: dict[tuple[bytes, int], Code] = {}
        self._substituted: dict[Code, bytes] = {}
        self._anonymous = 0
        self._instructions = BumpArena(INSTRUCTIONS_BYTES, checked=checked)
        self._constants = BumpArena(CONSTANTS_BYTES, checked=checked)
        self._jumps = BumpArena(JUMPS_BYTES, checked=checked)
        self._bytes = BumpArena(BYTES_BYTES, checked=checked)
        self._records = BumpArena(RECORDS_BYTES, checked=checked)
        self._cells = BumpArena(CELLS_BYTES, checked=checked)
        self._scratch = BumpArena(SCRATCH_BYTES, checked=checked)
        self._sink = BumpArena(SINK_CELLS * 8, checked=checked)
        self._all: list[Code] = []
        self._index = BumpArena(0x1000, checked=checked)
        self._make_index(FIRST_INDEX_SIZE)
        self.on_added: Callable[[Code], None] = lambda _: None
        self.substitute: Substitute = lambda _contract, _code, _creation: None
        self.empty = self._add(b"", _digest(b""), RUNTIME)[0]
        context.empty_code = self.empty
        self._base = self._mark()

    @property
    def bytes_used(self) -> int:
        """Memory that decoded codes take, in bytes."""
        arenas = (self._instructions, self._constants, self._jumps, self._bytes, self._records)
        return sum(arena.used for arena in arenas)

    @property
    def sealed_bytes(self) -> int:
        """Memory that the codes registered at `seal` take."""
        return sum(self._base.used)

    @property
    def sealed_records(self) -> list[Code]:
        """The records registered at `seal`."""
        return self._base.records

    def find(self, data: bytes, kind: int) -> Code:
        """The record of a code that is registered, or 0."""
        return self._find(_digest(data), kind) if data else self.empty

    def _find(self, digest: Word, kind: int) -> Code:
        self._context.key = digest
        self._context.command_a = kind
        return view(Code, self._enter(commands.FIND_CODE))

    def register(self, data: bytes, kind: int) -> Code:
        """The record of a code, decoded on its first appearance. Raises `KernelError` when no room is left."""
        if not data:
            return self.empty
        digest = _digest(data)
        found = self._find(digest, kind)
        if found:
            return found
        identity = self.identify(data, kind == CREATION) if self.identify else None
        size = min(identity.code_size or len(data), len(data)) if identity else len(data)
        decoded = (data[:size], len(data))
        has_arguments = kind == CREATION and size < len(data)
        if has_arguments and decoded in self._creations:
            return self._add_like(self._creations[decoded], data, digest)
        running = self.substitute(identity.contract, data[:size], kind == CREATION) if identity else None
        record, blocks, branches = self._add(data, digest, kind, size, running)
        self._give_cells(record, identity, kind, blocks, branches)
        if has_arguments:
            self._creations[decoded] = record
        return record

    def register_uncounted(self, data: bytes, kind: int) -> Code:
        """As `register`, for a code that the host made: it has no coverage identity."""
        return self.find(data, kind) or self._add(data, _digest(data), kind)[0]

    def data_of(self, record: Code) -> bytes:
        """The bytes of a registered code."""
        return read_bytes(record.bytes, record.bytes_size)

    def executed(self, record: Code) -> bytes:
        """The bytes that run as instructions."""
        other = self._substituted.get(record)
        return read_bytes(record.bytes, record.decoded_size) if other is None else other

    def seal(self) -> None:
        """Keep all that is registered by now for good."""
        self._base = self._mark()

    def recycle(self) -> None:
        """Forget all codes registered since `seal`. No account may still hold one of them."""
        for arena, used in zip(self._arenas(), self._base.used, strict=True):
            arena.cut(used)
        self._all = list(self._base.records)
        kept = set(self._all)
        self._creations = {decoded: record for decoded, record in self._creations.items() if record in kept}
        self._substituted = {record: data for record, data in self._substituted.items() if record in kept}
        self._make_index(self._context.code_index_mask + 1)

    def _arenas(self) -> tuple[BumpArena, ...]:
        return self._instructions, self._constants, self._jumps, self._bytes, self._records

    def _mark(self) -> _Mark:
        return _Mark(list(self._all), tuple(arena.used for arena in self._arenas()))

    def _make_index(self, size: int) -> None:
        self._index = BumpArena(size * 8, checked=self._checked)
        self._context.code_index = view(References[Code], self._index.address)
        self._context.code_index_mask = size - 1
        self._context.codes_used = 0
        for record in self._all:
            self._enter_index(record)

    def _enter_index(self, record: Code) -> None:
        self._context.command_a = pointer(record)
        self._enter(commands.ADD_CODE)

    def _add(
        self,
        data: bytes,
        digest: Word,
        kind: int,
        decoded_size: int | None = None,
        running: bytes | None = None,
    ) -> tuple[Code, npt.NDArray[Any], npt.NDArray[Any]]:
        """Decode and enter a code, or what is `running` in its place. Returns its record, its blocks (start, end) and
        the program counters of its JUMPIs."""
        size = len(data)
        room = max(size, len(running or b""))
        if any(arena.free < 48 * (room + 4) for arena in (self._instructions, self._constants, self._bytes)):
            raise KernelError("no room is left for decoded codes")
        record = view(Code, self._records.take(Code.SIZE))
        record.hash = digest
        record.instructions = self._instructions.top
        record.bytes = self._bytes.take(size + PADDING)
        write_bytes(record.bytes, data)
        record.bytes_size = size
        record.decoded_size = size if decoded_size is None else decoded_size
        record.jumps = view(Int32s, self._jumps.take(4 * (room + 1)))
        record.cells = self._sink.address
        record.id = -1
        record.kind = kind
        self._note_delegation(record, data)
        blocks, branches = self._decode(record, size) if running is None else self._decode_other(record, running)
        self._keep(record)
        self.on_added(record)
        return record, blocks, branches

    def _add_like(self, other: Code, data: bytes, digest: Word) -> Code:
        """Enter a creation code that differs in its constructor arguments alone, as long as those of `other`: it runs
        what was decoded for this one."""
        if self._bytes.free < len(data) + 2 * PADDING or self._records.free < 2 * Code.SIZE:
            raise KernelError("no room is left for decoded codes")
        record = view(Code, self._records.take(Code.SIZE))
        write_bytes(pointer(record), read_bytes(pointer(other), Code.SIZE))
        record.hash = digest
        record.bytes = self._bytes.take(len(data) + PADDING)
        write_bytes(record.bytes, data)
        self._keep(record)
        return record

    def _keep(self, record: Code) -> None:
        self._all.append(record)
        if 2 * len(self._all) > self._context.code_index_mask:
            self._make_index(2 * (self._context.code_index_mask + 1))
        else:
            self._enter_index(record)

    @staticmethod
    def _note_delegation(record: Code, data: bytes) -> None:
        """EIP-7702: 0xef0100 and an address."""
        if len(data) == 23 and data[:3] == b"\xef\x01\x00":
            record.delegate = True
            record.delegate_address = as_word(int.from_bytes(data[3:], "big"))

    def _decode_other(self, record: Code, running: bytes) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Decode other bytes than the record's own."""
        self._substituted[record] = running
        own, record.bytes = record.bytes, self._bytes.take(len(running) + PADDING)
        write_bytes(record.bytes, running)
        record.decoded_size = len(running)
        try:
            return self._decode(record, len(running))
        finally:
            record.bytes = own

    def _decode(self, record: Code, size: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        blocks_size = BlockRange.SIZE * (size + 2)
        blocks = self._scratch.address
        branches = blocks + -(-blocks_size // 32) * 32
        context = self._context
        context.command_a, context.command_b = pointer(record), self._constants.top
        context.command_c, context.command_d = blocks, branches
        self._enter(commands.DECODE)
        record.instructions_size = context.command_a
        self._instructions.take(context.command_a + Instruction.SIZE)
        self._constants.take(context.command_b + 32)
        block_view = np.frombuffer(read_bytes(blocks, BlockRange.SIZE * context.command_c), np.int32).reshape(-1, 2)
        branch_view = np.frombuffer(read_bytes(branches, 4 * context.command_d), np.int32)
        return block_view, branch_view

    def _give_cells(
        self,
        record: Code,
        identity: CoverageIdentity | None,
        kind: int,
        blocks: npt.NDArray[Any],
        branches: npt.NDArray[Any],
    ) -> None:
        kind_name: CodeKind = "creation" if kind == CREATION else "runtime"
        contract = identity.contract if identity else f"0x{record.hash:064x}"
        key = (contract, kind_name, blocks[:, 0].tobytes())
        number = self._identities.get(key)
        if number is None:
            if identity is None:
                self._anonymous += 1
                if self._anonymous > ANONYMOUS_LIMIT:
                    self._sink_cells(record, len(blocks) + 2 * len(branches))
                    return
            starts = tuple(blocks[:, 0].tolist())
            number = self._new_identity(
                CodeMap(contract, kind_name, starts, tuple(blocks[:, 1].tolist()), tuple(branches.tolist()))
            )
            self._identities[key] = number
        record.cells = self.codes[number].cells_address
        record.id = number

    def _sink_cells(self, record: Code, cells: int) -> None:
        if cells > SINK_CELLS:
            raise KernelError("a code is too long for its coverage cells")
        record.cells = self._sink.address

    def _new_identity(self, code_map: CodeMap) -> int:
        address = self._cells.take(8 * code_map.cells)
        offset = address - self._cells.address
        cells = np.frombuffer(self._cells.buffer, np.uint64, code_map.cells, offset)
        self.codes.append(CoveredCode(code_map, cells, address))
        return len(self.codes) - 1


def _digest(data: bytes) -> Word:
    return as_word(int.from_bytes(keccak_bytes(data), "big"))
