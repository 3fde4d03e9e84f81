"""From cells to lines, branches and functions, on recorded compilations and executions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from simulator.coverage.code_coverage import BlockOutcome, CodeCoverage
from simulator.coverage.code_map import CodeMap
from simulator.coverage.line_coverage import CoverageMapper, FileCoverage, line_coverage
from simulator.project import Contract, Project, Unit

Load = Callable[[str], Any]
MODES = ("sides_legacy", "sides_legacy_optimized", "sides_ir", "sides_ir_optimized")


def only_file(load: Load, name: str) -> FileCoverage:
    recording = load(name)
    (file,) = line_coverage(recording.project, recording.coverages)
    return file


def test_only_lines_with_statements_are_executable(recording: Load) -> None:
    """Headers, declarations, getters and braces have code, but none that a developer wrote as a statement."""
    counts = {line.line: line.count for line in only_file(recording, "maze_legacy").lines}
    assert counts == {
        7: 1,
        15: 1,
        31: 1,
        35: 4,
        36: 3,
        37: 1,
        39: 2,
        41: 3,
        42: 1,
        44: 2,
        45: 2,
        52: 0,
        53: 0,
        54: 0,
        59: 0,
        63: 1,
        71: 1,
        75: 1,
    }


def test_branches_count_true_and_false(recording: Load) -> None:
    """Each branch point says how often its condition held and how often it did not."""
    branches = [(b.line, b.kind, b.counts) for b in only_file(recording, "maze_legacy").branches]
    assert branches == [
        (7, "ternary", (0, 1)),
        (15, "require", (0, 1)),
        (35, "if", (1, 3)),
        (36, "if", (1, 2)),
        (36, "and", (1, 2)),
        (41, "loop", (1, 2)),
        (53, "loop", (0, 0)),
        (63, "or", (1, 0)),
    ]


TRUTHS = {
    (10, "require"): (5, 1),
    (11, "if"): (1, 4),
    (12, "if"): (1, 3),
    (14, "if"): (3, 1),
    (14, "and"): (4, 0),
    (17, "if"): (3, 1),
    (17, "or"): (1, 3),
    (22, "loop"): (24, 4),
    (26, "loop"): (7, 4),
    (29, "loop"): (5, 4),
    (32, "loop"): (5, 4),
    (33, "ternary"): (1, 3),
    (34, "if"): (1, 3),
}


@pytest.mark.parametrize("mode", MODES)
def test_truth_does_not_depend_on_the_pipeline(recording: Load, mode: str) -> None:
    """Optimizers turn jumps around; what is reported stays the truth of the condition in the source."""
    branches = only_file(recording, mode).branches
    assert len(branches) >= 9
    for branch in branches:
        assert branch.counts == TRUTHS[branch.line, branch.kind]


REQUIRES = {
    (12, "require"): (6, 1),
    (13, "require"): (6, 0),
    (14, "require"): (5, 1),
    (15, "require"): (4, 1),
    (16, "require"): (4, 1),
    (16, "and"): (4, 1),
    (19, "require"): (3, 1),
    (20, "require"): (2, 1),
    (21, "if"): (1, 1),
    (21, "require"): (0, 1),
    (26, "or"): (2, 1),
}


@pytest.mark.parametrize(("mode", "least"), [("legacy", 7), ("legacy_optimized", 7), ("ir", 7), ("ir_optimized", 4)])
def test_requires_are_found_behind_helpers_and_inlined(recording: Load, mode: str, least: int) -> None:
    """The IR pipeline gives the checks no place of their own; those that are found count the same."""
    branches = only_file(recording, f"requires_{mode}").branches
    for branch in branches:
        assert branch.counts == REQUIRES[branch.line, branch.kind]
    assert sum(branch.kind == "require" for branch in branches) == least


@pytest.mark.parametrize("mode", ["sides_legacy", "sides_legacy_optimized"])
def test_all_branches_are_found_in_legacy_code(recording: Load, mode: str) -> None:
    """A do loop's branch stands at its start; everything else on its own line."""
    found = {(branch.line, branch.kind) for branch in only_file(recording, mode).branches}
    assert found == TRUTHS.keys() - {(32, "loop")}


def test_functions_have_unique_names_and_entries(recording: Load) -> None:
    """Overloads are told apart by their parameters; a body that a modifier guards was not entered."""
    functions = {f.name: (f.line, f.end_line, f.count) for f in only_file(recording, "maze_legacy").functions}
    assert functions == {
        "Numbers.clamp": (6, 8, 1),
        "Owned.onlyOwner": (14, 17, 1),
        "Maze.constructor": (30, 32, 1),
        "Maze.move": (34, 46, 4),
        "Maze.reset(uint256 to)": (48, 56, 0),
        "Maze.reset()": (58, 60, 0),
        "Maze.lucky": (62, 64, 1),
        "Maze.echidna_position": (70, 72, 1),
        "Maze.receive": (74, 76, 1),
    }


def test_outcomes_stand_on_the_line_where_the_frame_ended(recording: Load) -> None:
    """A revert marks the statement that reverted."""
    outcomes = {line.line: BlockOutcome(line.outcomes) for line in only_file(recording, "maze_legacy").lines}
    assert outcomes[15] == outcomes[35] == BlockOutcome.REVERT
    assert outcomes[36] == BlockOutcome(0)


def test_codes_add_up(recording: Load) -> None:
    """The same line in several codes counts the sum; its branches and functions too."""
    recorded = recording("maze_legacy")
    once = line_coverage(recorded.project, recorded.coverages)[0]
    twice = line_coverage(recorded.project, [*recorded.coverages, *recorded.coverages])[0]
    assert [line.count for line in twice.lines] == [2 * line.count for line in once.lines]
    assert [b.counts for b in twice.branches] == [(2 * b.counts[0], 2 * b.counts[1]) for b in once.branches]
    assert [f.count for f in twice.functions] == [2 * f.count for f in once.functions]


def test_a_mapper_gives_the_same_report_again(recording: Load) -> None:
    """Kept tables change nothing, and new counts are seen."""
    recorded = recording("maze_legacy")
    mapper = CoverageMapper(recorded.project)
    first = mapper.files(recorded.coverages)
    assert mapper.files(recorded.coverages) == first
    silent = [CodeCoverage(c.code, (0,) * c.code.cells) for c in recorded.coverages]
    assert mapper.files(silent)[0].lines_hit == 0
    assert mapper.files(silent)[0].lines_found == first[0].lines_found


def test_codes_of_no_contract_are_left_out(recording: Load) -> None:
    """A code known by its hash only has no source."""
    recorded = recording("maze_legacy")
    stranger = CodeCoverage(CodeMap("0x" + "ab" * 32, "runtime", (0,), (4,), ()), (7,))
    assert line_coverage(recorded.project, [stranger]) == ()


def test_a_map_that_does_not_fit_the_code_is_left_out(recording: Load) -> None:
    """A map whose branches are no JUMPIs belongs to another compilation; guessing would mark wrong lines."""
    recorded = recording("maze_legacy")
    code = recorded.coverages[1].code
    other = msgspec.structs.replace(code, branches=tuple(pc + 1 for pc in code.branches))
    assert line_coverage(recorded.project, [CodeCoverage(other, recorded.coverages[1].counts)]) == ()


def test_constructor_arguments_do_not_hide_the_constructor(recording: Load) -> None:
    """Bytes behind the creation code that look like a branch are data."""
    recorded = recording("maze_legacy")
    creation = recorded.coverages[0]
    behind = len(recorded.project.contracts[0].creation_code) + 5
    code = msgspec.structs.replace(
        creation.code,
        block_starts=(*creation.code.block_starts, behind),
        block_ends=(*creation.code.block_ends, behind + 1),
        branches=(*creation.code.branches, behind),
    )
    counts = creation.counts[: len(creation.code.block_starts)] + (0,) * (code.cells - len(creation.code.block_starts))
    (file,) = line_coverage(recorded.project, [CodeCoverage(code, counts)])
    assert {line.line: line.count for line in file.lines if line.count} == {31: 1}


def test_a_contract_in_the_making_counts_with_all_its_lines(recording: Load) -> None:
    """While only its constructor ran, its functions are there, not executed."""
    recorded = recording("maze_legacy")
    (file,) = line_coverage(recorded.project, recorded.coverages[:1])
    assert (file.lines_hit, file.lines_found) == (1, 18)


def test_contracts_that_can_be_created_are_counted_from_the_start(recording: Load) -> None:
    """Their lines and branches are there before the first creation, so that coverage never falls when it happens."""
    recorded = recording("maze_legacy")
    maze = recorded.project.contracts[0]
    factory = Contract("f.sol", "Factory", "contract", (), b"", b"\x5b\0" + maze.creation_code + b"\0")
    outer = Contract("g.sol", "Outer", "contract", (), b"\x5b" + factory.runtime_code, b"\x5b\0")
    factory = msgspec.structs.replace(factory, creation_code=factory.runtime_code)
    sources = recorded.project.units[0].sources
    project = Project("/p", (Unit("0.8.30", "cancun", sources, (maze, factory, outer)),))
    seen = CodeCoverage(CodeMap("g.sol:Outer", "runtime", (0,), (2,), ()), (5,))
    mapper = CoverageMapper(project)
    (before,) = mapper.files([seen])
    (after,) = mapper.files([seen, *recorded.coverages])
    assert (before.lines_hit, before.branches_hit) == (0, 0)
    assert (before.lines_found, before.branches_found) == (after.lines_found, after.branches_found)
    assert [function.name for function in before.functions] == [function.name for function in after.functions]
    assert after == line_coverage(recorded.project, recorded.coverages)[0]


def test_inlined_libraries_count_in_their_own_file_and_contract(recording: Load) -> None:
    """Code of an internal library function stands in the caller's bytecode and belongs to the library's lines."""
    contracts = {line.line: line.contract for line in only_file(recording, "maze_ir_optimized").lines}
    assert (contracts[7], contracts[15], contracts[35]) == ("Numbers", "Owned", "Maze")
