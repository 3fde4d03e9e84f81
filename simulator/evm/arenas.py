"""Memory that the kernel works in: reserved at once, backed by pages only where it is touched."""

from __future__ import annotations

import ctypes
import mmap
import weakref

from simulator.errors import KernelError
from simulator.evm.kernel.plain import memory_access

_FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)


class Arena:
    """Zeroed memory at a fixed address. A forked process gets its own copy, page by page, when it writes.

    `checked` makes the region known to the plain twin's address check.
    """

    def __init__(self, size: int, *, checked: bool) -> None:
        try:
            self._memory = mmap.mmap(-1, size, flags=_FLAGS)
        except (OSError, ValueError) as error:
            raise KernelError(f"cannot reserve {size >> 20} MB of address space for the EVM: {error}") from error
        self._anchor = ctypes.c_char.from_buffer(self._memory)
        self.address = ctypes.addressof(self._anchor)
        self.size = size
        if checked:
            memory_access.register(self.address, size)
            weakref.finalize(self, memory_access.unregister, self.address)

    @property
    def end(self) -> int:
        return self.address + self.size

    @property
    def buffer(self) -> mmap.mmap:
        """The memory itself, for views of it."""
        return self._memory


class BumpArena(Arena):
    """An arena that hands out memory front to back."""

    def __init__(self, size: int, *, checked: bool) -> None:
        super().__init__(size, checked=checked)
        self.used = 0

    @property
    def top(self) -> int:
        """Address of the next allocation."""
        return self.address + self.used

    @property
    def free(self) -> int:
        return self.size - self.used

    def take(self, size: int) -> int:
        """Allocate, rounded up to 32 bytes. Raises `KernelError` when the arena is full."""
        rounded = -(-size // 32) * 32
        if rounded > self.free:
            raise KernelError(f"an EVM arena of {self.size >> 20} MB is full")
        address = self.top
        self.used += rounded
        return address

    def cut(self, used: int) -> None:
        """Forget every allocation after the first `used` bytes; they read as zeros again."""
        ctypes.memset(self.address + used, 0, self.used - used)
        self.used = used


def read_bytes(address: int, size: int) -> bytes:
    return ctypes.string_at(address, size) if size else b""


def write_bytes(address: int, data: bytes) -> None:
    ctypes.memmove(address, data, len(data))
