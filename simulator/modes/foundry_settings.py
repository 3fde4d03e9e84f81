"""What a project tells forge about its tests, as far as a campaign follows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FoundrySettings:
    """`fail_on_revert` holds for all invariants but those that `strict` and `lenient` name, by function or contract.

    `max_rejects` rejected inputs fail a fuzz test that has not yet passed `runs` times, `max_assume_rejects` all
    invariants. `ignored` are sentences on what
    the project sets without effect.
    """

    fail_on_revert: bool = False
    strict: tuple[str, ...] = ()
    lenient: tuple[str, ...] = ()
    runs: int = 256
    max_rejects: int = 65_536
    max_assume_rejects: int = 65_536
    ignored: tuple[str, ...] = ()

    def is_strict(self, contract: str, invariant: str) -> bool:
        """Whether a reverting call fails this invariant; what is said of the function goes before the contract."""
        for name in (invariant, contract):
            if name in self.strict or name in self.lenient:
                return name in self.strict
        return self.fail_on_revert
