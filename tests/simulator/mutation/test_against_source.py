"""Mutants of the deployed code behave as the same change in the source does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.measuring.same_change import behaviour, changed_source, compiled, deployed, made_sequences
from simulator.mutation.choosing import choose_mutants
from simulator.mutation.trial import substitute_for

SOURCE = (Path(__file__).parent / "Subject.sol").read_text()
SEQUENCES = 40


def test_a_number_that_shares_its_push_with_a_slot_is_changed_alone(tmp_path: Path) -> None:
    """The compiler makes PUSH and DUP1 of two equal PUSHes, optimized or not."""
    source = (
        "// SPDX-License-Identifier: Apache-2.0\npragma solidity ^0.8.0;\n"
        "contract Subject { uint256 public total = 7; uint256 public one = 9; bool public closed;\n"
        "function f() public { one = 1; } function echidna_on() public pure returns (bool) { return true; } }\n"
    )
    project = compiled([source], tmp_path, ())
    mutants = {
        each.description: each
        for each in choose_mutants(project, lambda *_: True).mutants
        if each.line == 4 and "function" not in each.before
    }
    sequences = made_sequences(deployed(project, tmp_path), 2)
    for other in ("0", "2", "type(uint256).max"):
        mutant = mutants[f"1 -> {other}"]
        changed = compiled([changed_source(source, mutant) or ""], tmp_path, ())
        ours = behaviour(deployed(project, tmp_path, substitute=substitute_for(mutant)), sequences)
        assert ours == behaviour(deployed(changed, tmp_path), sequences)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [((), 50), (("--optimize",), 50), (("--via-ir", "--optimize"), 24)],
    ids=["plain", "fast", "intermediate"],
)
def test_mutants_behave_as_the_same_change_in_the_source(
    arguments: tuple[str, ...], wanted: int, tmp_path: Path
) -> None:
    """The success and the output of every call of sequences that a campaign makes."""
    project = compiled([SOURCE], tmp_path, arguments)
    mutants = list(choose_mutants(project, lambda *_: True).mutants)
    random.Random(3).shuffle(mutants)
    changes = [(mutant, content) for mutant in mutants if (content := changed_source(SOURCE, mutant)) is not None]
    changes = changes[:wanted]
    others = compiled([content for _, content in changes], tmp_path, arguments)
    sequences = made_sequences(deployed(project, tmp_path), SEQUENCES)
    original = behaviour(deployed(project, tmp_path), sequences)
    different = 0
    for number, (mutant, _) in enumerate(changes):
        ours = behaviour(deployed(project, tmp_path, substitute=substitute_for(mutant)), sequences)
        theirs = behaviour(deployed(others, tmp_path, number), sequences)
        assert ours == theirs, f"{mutant.place} {mutant.description}"
        different += theirs != original
    assert len(changes) == wanted
    assert different > wanted // 2
