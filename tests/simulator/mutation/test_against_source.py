"""Mutants of the deployed code behave as the same change in the source does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from simulator.mutation.choosing import choose_mutants
from simulator.mutation.trial import substitute_for
from tests.simulator.mutation.same_change import behaviour, changed_source, compiled, deployed, made_sequences

SOURCE = (Path(__file__).parent / "Subject.sol").read_text()
SEQUENCES = 40


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
