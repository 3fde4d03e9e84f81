"""Mutants of the deployed code behave as the same change in the source does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from simulator.mutation.choosing import choose_mutants
from simulator.mutation.trial import substitute_for
from tests.simulator.mutation.same_change import behaviour, changed_source, compiled, deployed, made_sequences

SOURCE = (Path(__file__).parent / "Subject.sol").read_text()
WANTED = 50
SEQUENCES = 40


@pytest.mark.nightly
@pytest.mark.parametrize("arguments", [(), ("--optimize",)], ids=["plain", "fast"])
def test_fifty_mutants_behave_as_the_same_change_in_the_source(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """The success and the output of every call of sequences that a campaign makes."""
    project = compiled([SOURCE], tmp_path, arguments)
    mutants = list(choose_mutants(project, lambda *_: True).mutants)
    random.Random(3).shuffle(mutants)
    changes = [(mutant, content) for mutant in mutants if (content := changed_source(SOURCE, mutant)) is not None]
    changes = changes[:WANTED]
    others = compiled([content for _, content in changes], tmp_path, arguments)
    sequences = made_sequences(deployed(project, tmp_path), SEQUENCES)
    original = behaviour(deployed(project, tmp_path), sequences)
    different = 0
    for number, (mutant, _) in enumerate(changes):
        ours = behaviour(deployed(project, tmp_path, substitute=substitute_for(mutant)), sequences)
        theirs = behaviour(deployed(others, tmp_path, number), sequences)
        assert ours == theirs, f"{mutant.place} {mutant.description}"
        different += theirs != original
    assert len(changes) == WANTED
    assert different > WANTED // 2
