"""Inputs of Ethereum's official state tests whose labels say what the precompile answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.precompiles import run_precompile
from simulator.precompiles.point_evaluation import OUTPUT

Reader = Callable[[str], dict[str, Any]]


def test_official_pairing_inputs_are_classified_as_labelled(state_test: Reader) -> None:
    """144 inputs: products that are one or not, points off the curves and outside the subgroup."""
    (case,) = state_test("stZeroKnowledge/ecpairing_inputs").values()
    labels: dict[str, str] = case["_info"]["labels"]
    assert len(labels) == len(case["transaction"]["data"]) > 100
    for index, data in enumerate(case["transaction"]["data"]):
        result = run_precompile(8, bytes.fromhex(data[2:]), 10**6, "cancun")
        label = labels[str(index)]
        assert result.success == (not label.startswith("invalid")), (index, label)
        if result.success:
            assert result.output == (label == "positive").to_bytes(32, "big"), (index, label)


def test_official_kzg_proofs_are_verified_as_named(state_test: Reader) -> None:
    """122 proofs about real blobs: correct ones, wrong ones, invalid commitments, proofs, z and y."""
    cases = state_test("Pyspecs/cancun/eip4844_blobs/point_evaluation_precompile_external_vectors")
    verdicts = set()
    for name, case in cases.items():
        (data,) = case["transaction"]["data"]
        result = run_precompile(0x0A, bytes.fromhex(data[2:]), 50_000, "cancun")
        correct = "case_correct_proof" in name
        assert (result.success, result.output) == (correct, OUTPUT if correct else b""), name
        verdicts.add(result.success)
    assert verdicts == {True, False}
