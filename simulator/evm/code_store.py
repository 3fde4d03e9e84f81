"""Decoded codes of a machine, and the coverage identities that they belong to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.coverage.code_map import CodeKind, CodeMap
from simulator.errors import KernelError
from simulator.evm.arenas import BumpArena, read_bytes, read_int, write_bytes, write_int
from simulator.evm.kernel import commands
from simulator.evm.kernel.layout import code, context, instruction
from simulator.evm.kernel.plain.keccak import keccak_bytes

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
    """What a code belongs to. Codes with an equal identity and the same blocks share their cells.

    `contract` is `path:Name`. `code_size` is the length of the code proper, without constructor arguments; 0 means all.
    """

    contract: str
    code_size: int = 0


Identify = Callable[[bytes, bool], CoverageIdentity | None]


@dataclass(frozen=True)
class CoveredCode:
    """One identity: its map, and its cells as they are at any moment (`map.cells` little-endian unsigned 64 bits)."""

    map: CodeMap
    cells: npt.NDArray[np.uint64]
    cells_address: int


@dataclass(frozen=True)
class _Mark:
    records: list[int]
    used: tuple[int, ...]


class CodeStore:
    """Registers codes: decodes them, gives them cells, enters them in the kernel's index. `on_added` hears of the
    record of each."""

    def __init__(self, context_address: int, enter: Enter, identify: Identify | None, *, checked: bool) -> None:
        self.codes: list[CoveredCode] = []
        self._context = context_address
        self._enter = enter
        self.identify = identify
        self._checked = checked
        self._identities: dict[tuple[str, CodeKind, tuple[int, ...]], int] = {}
        self._anonymous = 0
        self._instructions = BumpArena(INSTRUCTIONS_BYTES, checked=checked)
        self._constants = BumpArena(CONSTANTS_BYTES, checked=checked)
        self._jumps = BumpArena(JUMPS_BYTES, checked=checked)
        self._bytes = BumpArena(BYTES_BYTES, checked=checked)
        self._records = BumpArena(RECORDS_BYTES, checked=checked)
        self._cells = BumpArena(CELLS_BYTES, checked=checked)
        self._scratch = BumpArena(SCRATCH_BYTES, checked=checked)
        self._sink = BumpArena(SINK_CELLS * 8, checked=checked)
        self._all: list[int] = []
        self._index = BumpArena(0x1000, checked=checked)
        self._make_index(FIRST_INDEX_SIZE)
        self.on_added: Callable[[int], None] = lambda _: None
        self.empty = self._add(b"", code.RUNTIME, self._sink.address, -1)[0]
        write_int(context_address + context.EMPTY_CODE, self.empty)
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
    def sealed_records(self) -> list[int]:
        """The records registered at `seal`."""
        return self._base.records

    def find(self, data: bytes, kind: int) -> int:
        """The record of a code that is registered, or 0."""
        if not data:
            return self.empty
        write_bytes(self._context + context.KEY, keccak_bytes(data)[::-1])
        write_int(self._context + context.COMMAND_A, kind)
        return self._enter(commands.FIND_CODE)

    def register(self, data: bytes, kind: int) -> int:
        """The record of a code, decoded on its first appearance. Raises `KernelError` when no room is left."""
        found = self.find(data, kind)
        if found:
            return found
        identity = self.identify(data, kind == code.CREATION) if self.identify else None
        size = min(identity.code_size or len(data), len(data)) if identity else len(data)
        record, blocks, branches = self._add(data, kind, self._sink.address, -1, size)
        self._give_cells(record, identity, kind, blocks, branches)
        return record

    def register_uncounted(self, data: bytes, kind: int) -> int:
        """As `register`, for a code that the host made: it has no coverage identity."""
        return self.find(data, kind) or self._add(data, kind, self._sink.address, -1)[0]

    def data_of(self, record: int) -> bytes:
        """The bytes of a registered code."""
        return read_bytes(read_int(record + code.BYTES), read_int(record + code.BYTES_SIZE))

    def seal(self) -> None:
        """What is registered by now stays for good."""
        self._base = self._mark()

    def recycle(self) -> None:
        """Forget all codes registered since `seal`. No account may hold one of them any more."""
        for arena, used in zip(self._arenas(), self._base.used, strict=True):
            arena.cut(used)
        self._all = list(self._base.records)
        self._make_index(read_int(self._context + context.CODE_INDEX_MASK) + 1)

    def _arenas(self) -> tuple[BumpArena, ...]:
        return self._instructions, self._constants, self._jumps, self._bytes, self._records

    def _mark(self) -> _Mark:
        return _Mark(list(self._all), tuple(arena.used for arena in self._arenas()))

    def _make_index(self, size: int) -> None:
        self._index = BumpArena(size * 8, checked=self._checked)
        write_int(self._context + context.CODE_INDEX, self._index.address)
        write_int(self._context + context.CODE_INDEX_MASK, size - 1)
        write_int(self._context + context.CODES_USED, 0)
        for record in self._all:
            self._enter_index(record)

    def _enter_index(self, record: int) -> None:
        write_int(self._context + context.COMMAND_A, record)
        self._enter(commands.ADD_CODE)

    def _add(
        self, data: bytes, kind: int, cells: int, number: int, decoded_size: int | None = None
    ) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
        """Decode and enter a code. Returns its record, its blocks (start, end) and the program counters of its
        JUMPIs."""
        size = len(data)
        if any(arena.free < 48 * (size + 4) for arena in (self._instructions, self._constants, self._bytes)):
            raise KernelError("no room is left for decoded codes")
        record = self._records.take(code.SIZE)
        write_bytes(record + code.HASH, keccak_bytes(data)[::-1])
        code_bytes = self._bytes.take(size + PADDING)
        write_bytes(code_bytes, data)
        for field, value in (
            (code.INSTRUCTIONS, self._instructions.top),
            (code.BYTES, code_bytes),
            (code.BYTES_SIZE, size),
            (code.DECODED_SIZE, size if decoded_size is None else decoded_size),
            (code.JUMPS, self._jumps.take(4 * (size + 1))),
            (code.CELLS, cells),
            (code.ID, number),
            (code.KIND, kind),
        ):
            write_int(record + field, value)
        self._note_delegation(record, data)
        blocks, branches = self._decode(record, size)
        self._all.append(record)
        if 2 * len(self._all) > read_int(self._context + context.CODE_INDEX_MASK):
            self._make_index(2 * (read_int(self._context + context.CODE_INDEX_MASK) + 1))
        else:
            self._enter_index(record)
        self.on_added(record)
        return record, blocks, branches

    @staticmethod
    def _note_delegation(record: int, data: bytes) -> None:
        """EIP-7702: 0xef0100 and an address."""
        if len(data) == 23 and data[:3] == b"\xef\x01\x00":
            write_int(record + code.DELEGATE, 1)
            write_bytes(record + code.DELEGATE_ADDRESS, data[3:][::-1] + bytes(12))

    def _decode(self, record: int, size: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        blocks_size = 8 * (size + 2)
        blocks = self._scratch.address
        branches = blocks + -(-blocks_size // 32) * 32
        for field, value in (
            (context.COMMAND_A, record),
            (context.COMMAND_B, self._constants.top),
            (context.COMMAND_C, blocks),
            (context.COMMAND_D, branches),
        ):
            write_int(self._context + field, value)
        self._enter(commands.DECODE)
        fields = (context.COMMAND_A, context.COMMAND_B, context.COMMAND_C, context.COMMAND_D)
        instructions, constants, block_count, branch_count = (read_int(self._context + field) for field in fields)
        write_int(record + code.INSTRUCTIONS_SIZE, instructions)
        self._instructions.take(instructions + instruction.SIZE)
        self._constants.take(constants + 32)
        block_view = np.frombuffer(read_bytes(blocks, 8 * block_count), np.int32).reshape(-1, 2)
        branch_view = np.frombuffer(read_bytes(branches, 4 * branch_count), np.int32)
        return block_view, branch_view

    def _give_cells(
        self,
        record: int,
        identity: CoverageIdentity | None,
        kind: int,
        blocks: npt.NDArray[Any],
        branches: npt.NDArray[Any],
    ) -> None:
        kind_name: CodeKind = "creation" if kind == code.CREATION else "runtime"
        starts = tuple(blocks[:, 0].tolist())
        contract = identity.contract if identity else "0x" + read_bytes(record + code.HASH, 32)[::-1].hex()
        key = (contract, kind_name, starts)
        number = self._identities.get(key)
        if number is None:
            if identity is None:
                self._anonymous += 1
                if self._anonymous > ANONYMOUS_LIMIT:
                    self._sink_cells(record, len(starts) + 2 * len(branches))
                    return
            number = self._new_identity(
                CodeMap(contract, kind_name, starts, tuple(blocks[:, 1].tolist()), tuple(branches.tolist()))
            )
            self._identities[key] = number
        write_int(record + code.CELLS, self.codes[number].cells_address)
        write_int(record + code.ID, number)

    def _sink_cells(self, record: int, cells: int) -> None:
        if cells > SINK_CELLS:
            raise KernelError("a code is too long for its coverage cells")
        write_int(record + code.CELLS, self._sink.address)

    def _new_identity(self, code_map: CodeMap) -> int:
        address = self._cells.take(8 * code_map.cells)
        offset = address - self._cells.address
        cells = np.frombuffer(self._cells.buffer, np.uint64, code_map.cells, offset)
        self.codes.append(CoveredCode(code_map, cells, address))
        return len(self.codes) - 1
