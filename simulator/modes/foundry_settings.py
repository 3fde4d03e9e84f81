"""Settings of a project for forge's tests, as far as a campaign follows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FoundrySettings:
    """`fail_on_revert` holds for all invariants but those that `strict` and `lenient` name, as `path:Contract` or
    `path:Contract.function`.

    `max_rejects` rejected inputs fail a fuzz test that has not yet passed `runs` times, `max_assume_rejects` all
    invariants. `inline` are numbers that lines in the sources set: whose (named as above), key, number. With
    `assertions_revert`, a failed `vm.assert*` reverts. With `internal_expect_revert`, an expected revert may
    be that of the function that expects it. `ignored` are sentences on what the project sets without effect.
    """

    fail_on_revert: bool = False
    strict: tuple[str, ...] = ()
    lenient: tuple[str, ...] = ()
    runs: int = 256
    max_rejects: int = 65_536
    max_assume_rejects: int = 65_536
    inline: tuple[tuple[str, str, int], ...] = ()
    assertions_revert: bool = True
    internal_expect_revert: bool = False
    invariant_runs: int = 256
    invariant_depth: int = 500
    ignored: tuple[str, ...] = ()

    def number(self, key: str, contract: str, function: str, otherwise: int) -> int:
        """Return the number that holds for a test: what is said of the function goes before the contract, that
        before the project."""
        for name in (f"{contract}.{function}", contract):
            found = [number for said_of, said, number in self.inline if (said_of, said) == (name, key)]
            if found:
                return found[-1]
        return otherwise

    def is_fuzzed(self, contract: str, function: str) -> bool:
        """Return whether a test with inputs is run at all."""
        return self.number("fuzz.runs", contract, function, self.runs) > 0

    def is_followed(self, contract: str, invariant: str) -> bool:
        """Return whether an invariant is asked after calls, and not of the deployed state alone."""
        runs = self.number("invariant.runs", contract, invariant, self.invariant_runs)
        return runs > 0 and self.number("invariant.depth", contract, invariant, self.invariant_depth) > 0

    def is_strict(self, contract: str, invariant: str) -> bool:
        """Return whether a reverting call fails this invariant of a contract (`path:Name`). What is said of the
        function goes before the contract; what is said of another contract, such as a base, does not count."""
        for name in (f"{contract}.{invariant}", contract):
            if name in self.strict or name in self.lenient:
                return name in self.strict
        return self.fail_on_revert
