"""The operands that decided branches, from what workers noted of comparisons."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.coverage.code_map import CodeMap
from simulator.coverage.frontier import FrontierSite
from simulator.health.observations import Observations, SeenOperands
from simulator.project import Project

NEAR = 24
"""Bytes of code between a comparison and the jump that it decides, at most."""


class BranchOperands:
    """Finds the comparison of a branch. To hash a map of a code is to hash thousands of numbers, so codes are told
    apart by identity, and compared once where an equal one is another object."""

    def __init__(self, observations: Observations, project: Project) -> None:
        self._codes: list[tuple[CodeMap, dict[int, SeenOperands]]] = []
        self._known: dict[int, Mapping[int, SeenOperands]] = {}
        self._contracts = {contract.full_name: contract for contract in project.contracts}
        for (code, pc), seen in observations.operands.items():
            place = self._known.get(id(code))
            if not isinstance(place, dict):
                place = self._known[id(code)] = {}
                self._codes.append((code, place))
            place[pc] = seen

    def of(self, site: FrontierSite) -> tuple[int, SeenOperands] | None:
        """Opcode and operands of the comparison that decides a branch, the last one right before its jump."""
        for code, cell in site.cells:
            blocks = len(code.block_starts)
            if cell < blocks:
                continue
            jump, known = code.branches[(cell - blocks) // 2], self._of_code(code)
            for pc in range(jump - 1, max(jump - NEAR, 0) - 1, -1):
                if pc in known:
                    data = self._data(code)
                    return (data[pc], known[pc]) if pc < len(data) else None
        return None

    def _of_code(self, code: CodeMap) -> Mapping[int, SeenOperands]:
        known = self._known.get(id(code))
        if known is None:
            # The list keeps every code alive, so that its identity stays its own.
            known = {pc: seen for other, place in self._codes if other == code for pc, seen in place.items()}
            self._known[id(code)] = known
            self._codes.append((code, {}))
        return known

    def _data(self, code: CodeMap) -> bytes:
        contract = self._contracts.get(code.contract)
        if contract is None:
            return b""
        return contract.runtime_code if code.kind == "runtime" else contract.creation_code
