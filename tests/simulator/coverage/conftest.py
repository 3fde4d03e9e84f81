"""Recorded contracts with the counts of real executions; see data/README.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.project import Contract, Project, SourceFile, Unit

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Recording:
    project: Project
    coverages: tuple[CodeCoverage, ...]


@pytest.fixture
def recording() -> Callable[[str], Recording]:
    """Loads a recording by the name of its file."""
    return _load


def _load(name: str) -> Recording:
    record = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    contract = Contract(
        path=record["path"],
        name=record["name"],
        kind="contract",
        abi=(),
        creation_code=bytes.fromhex(record["creation"]["code"]),
        runtime_code=bytes.fromhex(record["runtime"]["code"]),
        creation_source_map=record["creation"]["map"],
        runtime_source_map=record["runtime"]["map"],
    )
    source = SourceFile(0, record["path"], record["source"])
    unit = Unit("0.8.30", "cancun", (source,), (contract,))
    coverages = tuple(_coverage(contract.full_name, kind, record[kind]) for kind in ("creation", "runtime"))
    return Recording(Project("/project", (unit,)), coverages)


def _coverage(contract: str, kind: Any, part: dict[str, Any]) -> CodeCoverage:
    code = CodeMap(contract, kind, tuple(part["starts"]), tuple(part["ends"]), tuple(part["branches"]))
    return CodeCoverage(code, tuple(part["counts"]), tuple(part["outcomes"]))
