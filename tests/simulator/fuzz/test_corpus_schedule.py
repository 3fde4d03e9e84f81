"""How often sequences are built from which corpus entry."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.fuzz.corpus.corpus_schedule import MAX_COPIES, CorpusSchedule

COMMON = [(0, number) for number in range(20)]
features = st.none() | st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50)), unique=True, max_size=20)


def test_entries_that_cover_what_is_rare_are_taken_more_often():
    """The one that alone reaches places gets more; one that nobody measured the mean."""
    schedule = CorpusSchedule(100)
    for index in range(40):
        schedule.add(
            [*COMMON, *((1, number) for number in range(10))] if index == 5 else None if index == 6 else COMMON
        )
    copies = schedule.copies()
    assert copies[5] > copies[6] > copies[7] >= 1


def test_age_has_no_part_in_it():
    """Newness counts where an entry is drawn, and there alone."""
    schedule = CorpusSchedule(100)
    for _ in range(8):
        schedule.add(COMMON)
    assert len(set(schedule.copies())) == 1


@given(st.lists(features, min_size=1, max_size=60))
def test_every_entry_has_a_place_and_none_takes_all(entries: list[list[tuple[int, int]] | None]):
    """The same entries in the same order give the same shares."""
    first, second = CorpusSchedule(100), CorpusSchedule(100)
    assert [first.add(each) for each in entries] == [second.add(each) for each in entries]
    assert len(first.copies()) == len(entries)
    assert all(1 <= places <= MAX_COPIES for places in first.copies())
    assert first.copies() == second.copies()


def test_entries_beyond_the_capacity_are_forgotten_with_what_they_covered():
    """A campaign without end holds no more than a short one, and what only old entries covered is rare again."""
    long, short = CorpusSchedule(3), CorpusSchedule(3)
    for _ in range(50):
        long.add(COMMON)
    kept = [COMMON[:4], None, COMMON[2:9]]
    for each in kept:
        long.add(each)
        short.add(each)
    assert long.copies() == short.copies()
