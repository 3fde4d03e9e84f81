"""What a project tells forge about its tests, as far as a campaign follows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FoundrySettings:
    """`fail_on_revert` holds for all invariants but those of `strict` and `lenient`, which are names of functions.

    `max_rejects` rejected inputs fail a fuzz test, or all invariants, that has not yet passed `runs` times.
    """

    fail_on_revert: bool = False
    strict: tuple[str, ...] = ()
    lenient: tuple[str, ...] = ()
    runs: int = 256
    max_rejects: int = 65_536

    def is_strict(self, invariant: str) -> bool:
        """Whether a reverting call fails the invariant of this name."""
        return invariant in self.strict or (self.fail_on_revert and invariant not in self.lenient)
