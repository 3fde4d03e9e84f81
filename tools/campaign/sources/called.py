"""Functions that a campaign calls, and the source that they stand in: much of what a contract runs is inherited."""

from __future__ import annotations

from actors.priorities.manager import FunctionStatistics
from simulator.project import Project


class CalledFunctions:
    """`functions` are those that the fuzzer calls, under the contract that is deployed. Names of functions in sources
    are `Contract.name`, or a bare `name` outside of contracts; parameters may follow and do not count."""

    def __init__(self, functions: tuple[FunctionStatistics, ...], project: Project) -> None:
        self._by_name: dict[str, list[FunctionStatistics]] = {}
        for each in functions:
            self._by_name.setdefault(_parted(each.signature)[1], []).append(each)
        self._lines: dict[str, set[str]] = {}
        for contract in project.contracts:
            line = self._lines.setdefault(_plain(contract.full_name), set())
            line.update(map(_plain, (contract.full_name, *contract.bases)))

    def of_source(self, name: str) -> list[FunctionStatistics]:
        """Those whose code may be the function of this name in a source: its contract's, and derived contracts'."""
        owner, bare = _parted(name)
        return [each for each in self._by_name.get(bare, ()) if not owner or owner in self._line(each.contract)]

    def named(self, name: str) -> list[FunctionStatistics]:
        """Those that are called by this name."""
        owner, bare = _parted(name)
        return [each for each in self._by_name.get(bare, ()) if owner in ("", each.contract)]

    def is_inherited(self, name: str, source: str) -> bool:
        """Return whether a function of this name may have its code where a source has this one."""
        owner, bare = _parted(name)
        other, same = _parted(source)
        return bool(owner) and bare == same and other in self._line(owner)

    def _line(self, contract: str) -> set[str]:
        return self._lines.get(contract, {contract})


def _plain(full_name: str) -> str:
    return full_name.rpartition(":")[2]


def _parted(name: str) -> tuple[str, str]:
    owner, _, bare = name.partition("(")[0].rpartition(".")
    return owner, bare
