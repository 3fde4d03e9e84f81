"""The operands that decided branches, from what workers noted of comparisons."""

from __future__ import annotations

from simulator.coverage.code_map import CodeMap
from simulator.coverage.frontier import FrontierSite
from simulator.health.observations import Observations, SeenOperands
from simulator.health.operands import needed, range_text
from simulator.project import Project

NEAR = 24
"""Bytes of code between a comparison and the jump that it decides, at most."""


class BranchOperands:
    """Finds the comparison of a branch."""

    def __init__(self, observations: Observations, project: Project) -> None:
        self._known: dict[CodeMap, dict[int, SeenOperands]] = {}
        self._contracts = {contract.full_name: contract for contract in project.contracts}
        for (code, pc), seen in observations.operands.items():
            self._known.setdefault(code, {})[pc] = seen

    def of(self, site: FrontierSite) -> tuple[int, SeenOperands] | None:
        """Opcode and operands of the comparison that decides a branch, the last one right before its jump."""
        for code, cell in site.cells:
            blocks = len(code.block_starts)
            if cell < blocks:
                continue
            jump, known = code.branches[(cell - blocks) // 2], self._known.get(code, {})
            for pc in range(jump - 1, max(jump - NEAR, 0) - 1, -1):
                if pc in known:
                    data = self._data(code)
                    return (data[pc], known[pc]) if pc < len(data) else None
        return None

    def words(self, site: FrontierSite) -> tuple[str, str]:
        """What the condition of a branch compared, and what its other outcome takes; both empty where that is not
        known."""
        known = self.of(site)
        return (range_text(*known), needed(*known)) if known is not None else ("", "")

    def _data(self, code: CodeMap) -> bytes:
        contract = self._contracts.get(code.contract)
        if contract is None:
            return b""
        return contract.runtime_code if code.kind == "runtime" else contract.creation_code
