"""Every planted bug is reachable: the stored reproducers break their tests on revm, and no call of them is superfluous.

Covers the projects of `examples/` and the targets of `tests/quality/targets/`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.hashing import selector
from simulator.abi.text import format_value
from simulator.compile import CompileOptions, compile_targets, select_contract
from simulator.corpus.echidna_json import parse_sequence
from simulator.project import Contract, Project
from simulator.transaction import Sequence, Transaction

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
TARGETS = ROOT / "tests" / "quality" / "targets"
# Echidna's test of all calls together, beside those of the single functions.
ANY_CALL = "AssertionFailed(..)"

pytestmark = pytest.mark.integration


@dataclass(frozen=True)
class Case:
    """One test of one target; `reproducer` is None when the test must hold."""

    paths: tuple[Path, ...]
    contract: str
    mode: str
    test: str
    reproducer: Path | None
    max_calls: int
    constructor_value: int = 0

    @property
    def name(self) -> str:
        return f"{self.paths[0].resolve().relative_to(ROOT)}-{self.mode}-{self.test}"


def example_cases() -> Iterator[Case]:
    for expected in sorted(EXAMPLES.glob("*/expected.json")):
        folder = expected.parent
        for campaign in json.loads(expected.read_text())["campaigns"]:
            value = yaml.safe_load((folder / campaign["config"]).read_text()).get("balanceContract", 0)
            paths = tuple(folder / path for path in campaign["paths"])
            tests = {**dict.fromkeys(campaign["passed"]), **campaign["falsified"]}
            for test, finding in tests.items():
                reproducer = folder / finding["reproducer"] if finding else None
                limit = finding["max_calls_in_reproducer"] if finding else 0
                yield Case(paths, campaign["contract"], campaign["mode"], test, reproducer, limit, value)


def target_cases() -> Iterator[Case]:
    for target in targets():
        paths = (TARGETS / target["file"],)
        for test in target["falsified"]:
            reproducer = TARGETS / target["reproducer"]
            yield Case(paths, target["contract"], target["mode"], test, reproducer, target["max_calls"])
        for test in target["passed"]:
            yield Case(paths, target["contract"], target["mode"], test, None, 0)


def targets() -> list[dict[str, Any]]:
    manifest: list[dict[str, Any]] = json.loads((TARGETS / "manifest.json").read_text())["targets"]
    return manifest


CASES = [*example_cases(), *target_cases()]
BROKEN = [case for case in CASES if case.reproducer is not None]


@functools.cache
def compiled(paths: tuple[Path, ...], contract: str) -> tuple[Project, Contract]:
    project = compile_targets(paths, CompileOptions())
    return project, select_contract(project, contract)


def load(case: Case) -> Sequence:
    if case.reproducer is None:
        return ()
    return parse_sequence(case.reproducer.read_bytes(), case.reproducer.name)


def breaks(case: Case, sequence: Sequence, revm_target: Any) -> bool:
    """Return whether the case's test fails after `sequence`, on a fresh deployment."""
    target = revm_target(*compiled(case.paths, case.contract), case.constructor_value)
    outcome = target.play(sequence)
    if case.mode == "property":
        return not target.property_holds(case.test)
    tested = bool(sequence) and (case.test == ANY_CALL or sequence[-1].data[:4] == selector(case.test))
    return tested and target.assertion_failed(outcome)


def without(sequence: Sequence, position: int) -> Sequence:
    """The sequence with one call turned into a wait: time continues as before."""
    wait = Transaction(
        sequence[position].sender, b"", seconds=sequence[position].seconds, blocks=sequence[position].blocks
    )
    return (*sequence[:position], wait, *sequence[position + 1 :])


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_a_stored_reproducer_breaks_its_test_on_revm(case: Case, revm_target: Any) -> None:
    """The planted bug is reachable within the promised number of calls, judged by another EVM."""
    sequence = load(case)
    assert len(sequence) <= case.max_calls
    assert breaks(case, sequence, revm_target)


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_no_call_of_a_stored_reproducer_is_superfluous(case: Case, revm_target: Any) -> None:
    """Dropping any one call makes the test hold, so the reproducer is as short as it can be."""
    sequence = load(case)
    superfluous = [n for n in range(len(sequence)) if breaks(case, without(sequence, n), revm_target)]
    assert superfluous == []


@pytest.mark.parametrize("case", [case for case in CASES if case.mode == "property"], ids=lambda case: case.name)
def test_a_property_holds_before_the_first_call_unless_it_is_planted_so(case: Case, revm_target: Any) -> None:
    """Only a bug without any call in its reproducer is visible right after the constructor."""
    fails_at_once = case.reproducer is not None and load(case) == ()
    assert breaks(case, (), revm_target) == fails_at_once


def test_every_target_is_in_the_manifest() -> None:
    """No Solidity file among the targets is forgotten."""
    listed = [target["file"] for target in targets()]
    assert sorted(listed) == sorted(path.name for path in TARGETS.glob("*.sol"))


def test_every_example_says_what_is_found_and_how_to_run_it() -> None:
    """Each example has expectations, a configuration and a short description."""
    for folder in (path for path in EXAMPLES.iterdir() if path.is_dir()):
        assert {"README.md", "echidna.yaml", "expected.json"} <= {path.name for path in folder.iterdir()}, folder
        assert "monotreme fuzz examples/" in (folder / "README.md").read_text()


@pytest.mark.parametrize(
    "target", [each for each in targets() if each.get("minimal_arguments")], ids=lambda each: each["file"]
)
def test_minimal_arguments_of_the_manifest_are_those_of_the_reproducer(target: dict[str, Any]) -> None:
    """What the manifest promises as the simplest arguments is what the stored reproducer passes."""
    project, _ = compiled((TARGETS / target["file"],), target["contract"])
    functions = {
        selector: function
        for each in project.contracts
        for selector, function in ContractAbi.from_json(each.abi).by_selector.items()
    }
    sequence = parse_sequence((TARGETS / target["reproducer"]).read_bytes(), target["reproducer"])
    assert [arguments(functions.get(call.data[:4]), call.data) for call in sequence] == target["minimal_arguments"]


def arguments(function: Function | None, data: bytes) -> list[str]:
    if function is None:
        return []
    pairs = zip(function.inputs.members, function.decode_call(data), strict=True)
    return [format_value(member, value) for member, value in pairs]
