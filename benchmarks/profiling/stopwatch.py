"""Processor time by concern: methods of the program are timed while they run, without those that they call in turn."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Naming = Callable[..., str]
Place = tuple[Any, str, str | Naming]
"""A class, the name of a method of it, and the concern of its time; where that depends on the call, a function of the
method's arguments tells it."""


class Stopwatch:
    """Seconds and calls by concern. What no timed function takes belongs to `rest`."""

    def __init__(self, rest: str) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.times: Counter[str] = Counter()
        self._running = [rest]
        self._since = time.process_time()

    @contextmanager
    def watching(self, places: Sequence[Place]) -> Iterator[None]:
        """Time these methods meanwhile."""
        usual = [(owner, name, owner.__dict__[name]) for owner, name, _ in places]
        for (owner, name, concern), (_, _, method) in zip(places, usual, strict=True):
            setattr(owner, name, self._timed(method, concern))
        self._since = time.process_time()
        try:
            yield
        finally:
            self._book()
            for owner, name, method in usual:
                setattr(owner, name, method)

    def _timed(self, method: Callable[..., Any], concern: str | Naming) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            name = concern if isinstance(concern, str) else concern(*arguments, **options)
            self._book()
            self.times[name] += 1
            self._running.append(name)
            try:
                return method(*arguments, **options)
            finally:
                self._book()
                self._running.pop()

        return timed

    def _book(self) -> None:
        now = time.process_time()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now
