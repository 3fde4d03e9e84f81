"""A call trace as a tree that a page can fold, in the order in which it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simulator.trace.data import TracedCall


@dataclass(frozen=True, slots=True)
class TreeStep:
    """One step. `opens` when steps inside of it follow; behind it, `closes` open steps end."""

    step: TracedCall
    opens: bool
    closes: int

    @property
    def style(self) -> str:
        """Class of the style sheet."""
        if self.step.type in ("EVENT", "CONSOLE"):
            return self.step.type.lower()
        return "bad" if self.step.success is False else "call"


def tree_steps(trace: Sequence[TracedCall]) -> Iterator[TreeStep]:
    """The steps, without recursion: a call may be nested as deep as the EVM allows."""
    open_depths: list[int] = []
    for index, step in enumerate(trace):
        following = trace[index + 1].depth if index + 1 < len(trace) else -1
        if following > step.depth:
            open_depths.append(step.depth)
            yield TreeStep(step, True, 0)
            continue
        closes = 0
        while open_depths and open_depths[-1] >= following:
            open_depths.pop()
            closes += 1
        yield TreeStep(step, False, closes)
