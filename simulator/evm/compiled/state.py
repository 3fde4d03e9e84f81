"""State that the compiler knows at a point of a trace: the stack's words, gas, and how much has been checked."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from functools import cached_property

from simulator.evm.compiled.text import ModuleText
from simulator.evm.compiled.values import Value, constant

WORD_BYTES = 32
MAX_WORDS = 40
KEPT_WORDS = 20


class Path:
    """Blocks that run one after the other in a region, up to a branch, and the paths behind it.

    What any way through needs is checked once, where the region begins: gas, `need` words below the base of the stack,
    `room` words above it. All three grow while the path is written and are read when the region is complete.
    """

    def __init__(self) -> None:
        self.gas = 0
        self._need = 0
        self._room = 0
        self._branches: list[Path] = []

    def branch(self) -> Path:
        """One side of the branch that the path ends with."""
        side = Path()
        self._branches.append(side)
        return side

    def add(self, gas: int, need: int, room: int) -> None:
        """Another block."""
        self.gas += gas
        self._need = max(self._need, need)
        self._room = max(self._room, room)

    @cached_property
    def cost(self) -> int:
        """Static gas of the dearest way."""
        return self.gas + max((side.cost for side in self._branches), default=0)

    @cached_property
    def need(self) -> int:
        return max(self._need, *(side.need for side in self._branches), 0)

    @cached_property
    def room(self) -> int:
        return max(self._room, *(side.room for side in self._branches), 0)


@dataclass
class TranslatedState:
    """The stack relative to `base`, the stack pointer where the region began: position 0 is the word at that address.

    `words` holds what is known of positions below `height`; `stored` what their memory is known to hold. `gas`, an
    i64, is the frame's gas, the running block paid.
    """

    base: str
    gas: str
    memory_size: str
    path: Path | None = None  # None: nothing has been checked yet
    paid: int = 0  # static gas of the path's blocks that have begun
    height: int = 0
    words: dict[int, Value] = field(default_factory=dict)
    stored: dict[int, Value] = field(default_factory=dict)
    memory_known: int = 0  # bytes that memory surely has
    cell: str = "%cell"  # i64: offset of the coverage cell of the block that runs, or ran last
    side: int | None = None  # offset of the coverage cell of the side of a branch taken last, None before the first

    def copy(self) -> TranslatedState:
        """An independent copy on the same path."""
        return replace(self, words=dict(self.words), stored=dict(self.stored))

    def branch(self) -> TranslatedState:
        """A copy that goes along one side of a branch."""
        side = self.copy()
        if self.path is not None:
            side.path, side.paid = self.path.branch(), 0
        return side

    def reserve(self) -> Callable[[], int]:
        """Static gas that the blocks behind the running one may need; to be asked when the region is complete."""
        path, paid = self.path, self.paid
        return (lambda: path.cost - paid) if path is not None else (lambda: 0)

    # --- the stack -----------------------------------------------------------------------------------------

    def address(self, text: ModuleText, position: int) -> str:
        return text.offset(self.base, WORD_BYTES * position)

    def pointer(self, text: ModuleText) -> str:
        """The stack pointer."""
        return self.address(text, self.height)

    def peek(self, text: ModuleText, distance: int) -> Value:
        """The word `distance` below the top, 1 being the top itself."""
        position = self.height - distance
        found = self.words.get(position)
        if found is None:
            found = Value(text.let(f"load i256, ptr {self.address(text, position)}, align 8, !tbaa !11"))
            self.words[position] = self.stored[position] = found
        return found

    def pop(self, text: ModuleText) -> Value:
        found = self.peek(text, 1)
        self.height -= 1
        del self.words[self.height]
        return found

    def drop(self, count: int) -> None:
        """Pop words that are not used."""
        for _ in range(count):
            self.height -= 1
            self.words.pop(self.height, None)

    def push(self, value: Value) -> None:
        self.words[self.height] = value
        self.height += 1

    def swap(self, text: ModuleText, distance: int) -> None:
        """Exchange the top with the word `distance` below it, the top itself being 1."""
        top, other = self.peek(text, 1), self.peek(text, distance)
        self.words[self.height - 1], self.words[self.height - distance] = other, top

    def flush(self, text: ModuleText) -> None:
        """Write to memory what is only known so far."""
        for position, value in sorted(self.words.items()):
            if self.stored.get(position) != value:
                text.do(f"store i256 {value.text}, ptr {self.address(text, position)}, align 8, !tbaa !11")
                self.stored[position] = value

    def limit(self, text: ModuleText) -> None:
        """Keep few words in values: what is written wherever the trace may leave grows with them."""
        if len(self.words) > MAX_WORDS:
            self.flush(text)
            for position in [each for each in self.words if each < self.height - KEPT_WORDS]:
                del self.words[position]

    def signature(self, targets: Container[int]) -> tuple[tuple[int, int], ...]:
        """(distance from the top, word) of known words that are possible jump targets."""
        return tuple(
            (self.height - position, value.constant)
            for position, value in sorted(self.words.items())
            if value.constant is not None and value.constant in targets
        )

    def recall(self, signature: tuple[tuple[int, int], ...]) -> None:
        """Begin with what a signature tells; memory holds it."""
        for distance, word in signature:
            self.words[self.height - distance] = self.stored[self.height - distance] = constant(word)
