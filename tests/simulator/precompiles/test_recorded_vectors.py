"""Cases recorded from Ethereum's executable specification (execution-specs 2.20.0, CC0): success, output and gas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.precompiles import PrecompileResult, run_precompile

VECTORS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("execution_specs.json").read_text())
PRICED = [case for case in VECTORS if case["success"] and case["gas_used"]]


def label(case: dict[str, Any]) -> str:
    return f"{case['number']:#x}-{case['fork']}-{case['note']}"


@pytest.mark.parametrize("case", VECTORS, ids=label)
def test_a_precompile_answers_as_the_specification_does(case: dict[str, Any]) -> None:
    """MODEXP in four forks, BLS12-381 and P256VERIFY, with the corner cases of their EIPs."""
    expected = PrecompileResult(
        success=case["success"], output=bytes.fromhex(case["output"]), gas_used=case["gas_used"]
    )
    assert run_precompile(case["number"], bytes.fromhex(case["input"]), case["gas"], case["fork"]) == expected


@pytest.mark.parametrize("case", PRICED, ids=label)
def test_one_unit_of_gas_less_is_not_enough(case: dict[str, Any]) -> None:
    """The price is checked against the gas given, for every kind of price."""
    assert not run_precompile(case["number"], bytes.fromhex(case["input"]), case["gas_used"] - 1, case["fork"]).success
