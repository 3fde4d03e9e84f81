"""LLVM assembly as text: basic blocks of lines, some of which are known only when everything behind them is."""

from __future__ import annotations

from collections.abc import Callable

from simulator.evm.kernel.records import Field

Line = str | Callable[[], str]


class Label:
    """One basic block of LLVM. `cold` ones stand at the end of the function."""

    def __init__(self, name: str, *, cold: bool) -> None:
        self.name = name
        self.cold = cold
        self.lines: list[Line] = []

    @property
    def reference(self) -> str:
        return f"label %{self.name}"


class Join:
    """A basic block that several others branch to, each with its own values of the same variables."""

    def __init__(self, label: Label, kinds: dict[str, str]) -> None:
        self.label = label
        self._kinds = kinds
        self._incoming: list[tuple[str, dict[str, str]]] = []
        self.values = {name: f"%{label.name}.{name}" for name in kinds}
        label.lines.append(self._phis)

    def add(self, origin: Label, **values: str) -> None:
        self._incoming.append((origin.name, values))

    def _phis(self) -> str:
        if not self._incoming:
            return ""
        lines = []
        for name, kind in self._kinds.items():
            sources = ", ".join(f"[ {values[name]}, %{origin} ]" for origin, values in self._incoming)
            lines.append(f"{self.values[name]} = phi {kind} {sources}")
        return "\n  ".join(lines)


class ModuleText:
    """The function that is being written; lines go to the end of `here`."""

    def __init__(self) -> None:
        self._labels: list[Label] = []
        self._count = 0
        self.here = self.label("start")

    def label(self, hint: str, *, cold: bool = False) -> Label:
        """Another basic block, still empty."""
        self._count += 1
        made = Label(f"{hint}{self._count}", cold=cold)
        self._labels.append(made)
        return made

    def join(self, hint: str, kinds: dict[str, str], *, cold: bool = False) -> Join:
        return Join(self.label(hint, cold=cold), kinds)

    def name(self) -> str:
        """A fresh value name."""
        self._count += 1
        return f"%v{self._count}"

    def let(self, expression: str) -> str:
        """Append `name = expression`."""
        name = self.name()
        self.here.lines.append(f"{name} = {expression}")
        return name

    def do(self, line: Line) -> None:
        self.here.lines.append(line)

    def offset(self, address: str, offset: int) -> str:
        """The address so many bytes further."""
        return self.let(f"getelementptr i8, ptr {address}, i64 {offset}") if offset else address

    def field(self, record: str, field: Field) -> str:
        """The address of a field of the record at an address."""
        return self.offset(record, field.offset)

    def branch(self, target: Label) -> None:
        self.do(f"br {target.reference}")

    def choose(self, condition: str, then: Label, otherwise: Label, weights: str = "") -> None:
        self.do(f"br i1 {condition}, {then.reference}, {otherwise.reference}{weights}")

    def give(self, call: str) -> None:
        """Return what a call returns, in place of this function."""
        self.do(f"ret i64 {self.let(f'musttail call tailcc i64 {call}')}")

    def body(self) -> str:
        """All basic blocks, the cold ones last."""
        ordered = [label for label in self._labels if not label.cold] + [label for label in self._labels if label.cold]
        parts = []
        for label in ordered:
            lines = [line if isinstance(line, str) else line() for line in label.lines]
            if any(lines):
                parts.append(f"{label.name}:\n  " + "\n  ".join(filter(None, lines)))
        return "\n".join(parts)
