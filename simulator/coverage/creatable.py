"""Contracts that other contracts can create: their creation code is part of the creator's code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeKind, CodeMap
from simulator.coverage.source_map import instruction_offsets
from simulator.project import Contract, Project

_JUMPI = 0x57


def creatable_contracts(project: Project, names: Iterable[str]) -> list[Contract]:
    """Contracts of the project, not among `names` (`path:Name`), that those can create, directly or through others."""
    found: list[Contract] = []
    for unit in project.units:
        known = set(names)
        waiting = [contract for contract in unit.contracts if contract.full_name in known]
        while waiting:
            creator = waiting.pop()
            for contract in unit.contracts:
                if contract.full_name not in known and _holds(creator, contract):
                    known.add(contract.full_name)
                    found.append(contract)
                    waiting.append(contract)
    return found


def _holds(creator: Contract, contract: Contract) -> bool:
    code = contract.creation_code
    return bool(code) and (code in creator.runtime_code or code in creator.creation_code)


def blank_coverages(project: Project, measured: Collection[tuple[str, CodeKind]]) -> Iterator[CodeCoverage]:
    """Coverage of codes that did not run yet: both codes of contracts that measured ones can create, and the runtime
    code of measured ones of which only the creation was."""
    names = {name for name, _ in measured}
    for contract in creatable_contracts(project, names):
        yield _blank(contract, "creation", contract.creation_code)
        yield _blank(contract, "runtime", contract.runtime_code)
    for contract in project.contracts:
        if contract.full_name in names and (contract.full_name, "runtime") not in measured:
            yield _blank(contract, "runtime", contract.runtime_code)


def _blank(contract: Contract, kind: CodeKind, code: bytes) -> CodeCoverage:
    """A single block, since nothing tells blocks apart that never ran."""
    branches = tuple(pc for pc in instruction_offsets(code) if code[pc] == _JUMPI)
    code_map = CodeMap(contract.full_name, kind, (0,), (len(code),), branches)
    return CodeCoverage(code_map, (0,) * code_map.cells)
