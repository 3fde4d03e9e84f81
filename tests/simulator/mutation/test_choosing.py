"""Which mutants are made, and how they are described."""

from __future__ import annotations

import msgspec
import pytest

from simulator.errors import TargetError
from simulator.mutation.choosing import Chosen, choose_mutants, sample
from simulator.mutation.code_view import CodeView
from simulator.mutation.editing import apply_edits
from simulator.mutation.scope import scope_of
from simulator.project import Contract, Project
from tests.simulator.mutation.conftest import settings_of


def descriptions(chosen: Chosen) -> set[str]:
    return {mutant.description for mutant in chosen.mutants}


def test_each_kind_of_operation_has_mutants(chosen: Chosen) -> None:
    """As a developer would say them."""
    assert {
        "a + b -> a - b",
        "b - 1 -> b + 1",
        "sum * 2 - b / 3 -> (sum * 2) + (b / 3)",
        "total += a % 1000 -> unchecked(total += a % 1000)",
        "total += a % 1000 -> (not stored)",
        "account.nonce++ -> account.nonce--",
        "a << 1 -> a >> 1",
        "a < b -> a <= b",
        "a >= 100 -> a > 100",
        "msg.sender == owner -> msg.sender != owner",
        'require(msg.sender == owner, "not the owner") -> (left out)',
        "!open -> open",
        "a >= 100 && b != 0 -> a >= 100 || b != 0",
        "a >= 100 && b != 0 -> b != 0",
        "account.amount > 1_000_000 ? true : false -> true ? true : false",
        "100 -> 101",
        "100 -> 99",
        "100 -> 0",
        "100 -> type(int256).max",
        "30 -> 31",
        "true -> false",
        "delete tiny -> (not stored)",
        "loop while sum > 5000 -> loop while false",
        "this.double(a) -> this.double(a) (result 0)",
    } <= descriptions(chosen)


def test_places_are_those_of_the_source(chosen: Chosen) -> None:
    """Line and column begin with 1."""
    mutant = next(each for each in chosen.mutants if each.description == "a + b -> a - b" and each.function == "add")
    assert (mutant.line, mutant.column, mutant.contract, mutant.operator) == (34, 23, "Subject", "arithmetic")


def test_mutants_are_changes_and_no_two_are_the_same_code(subject: Project, chosen: Chosen) -> None:
    """Equal code would be judged twice, and code as it is never be noticed."""
    codes = {
        (contract.full_name, creation): contract.creation_code if creation else contract.runtime_code
        for contract in subject.contracts
        for creation in (False, True)
    }
    seen = set()
    for mutant in chosen.mutants:
        applied = tuple(apply_edits(codes[one.contract, one.creation], one.edits) for one in mutant.codes)
        assert None not in applied
        assert all(code != codes[one.contract, one.creation] for code, one in zip(applied, mutant.codes, strict=True))
        key = (tuple((one.contract, one.creation) for one in mutant.codes), applied)
        assert key not in seen
        seen.add(key)
    assert len({mutant.id for mutant in chosen.mutants}) == len(chosen.mutants)


def test_tests_of_a_contract_without_a_harness_are_left_as_they_are(chosen: Chosen) -> None:
    """The code under test is then the target itself."""
    assert chosen.mutants
    assert not [mutant for mutant in chosen.mutants if mutant.function.startswith("echidna_")]


def test_a_harness_is_left_as_it_is(pot: Project) -> None:
    """Where the target has other contracts of its own."""
    scope = scope_of(pot, settings_of(pot, "PotHarness"), ())
    mutants = choose_mutants(pot, scope.wants).mutants
    assert {mutant.contract for mutant in mutants} == {"Pot"}
    assert "--only" in scope.note


def test_only_what_is_named_is_changed(pot: Project) -> None:
    """A file, a contract, a function, or both together."""
    settings = settings_of(pot, "PotHarness")
    for name, functions in (
        ("take", {"take"}),
        ("Pot.close", {"close"}),
        ("Pot.sol", {"pay", "take", "close"}),
        ("Pot", {"pay", "take", "close"}),
    ):
        mutants = choose_mutants(pot, scope_of(pot, settings, (name,)).wants).mutants
        assert {mutant.function for mutant in mutants} == functions
    with pytest.raises(TargetError, match="--only nothing"):
        scope_of(pot, settings, ("nothing",))


def test_a_sample_is_spread_over_the_lines(chosen: Chosen) -> None:
    """The same for a seed, and in the order of all."""
    lines = {(mutant.file, mutant.line) for mutant in chosen.mutants}
    few = sample(chosen.mutants, len(lines), 1)
    assert {(mutant.file, mutant.line) for mutant in few} == lines
    assert few == sample(chosen.mutants, len(lines), 1)
    assert [mutant for mutant in chosen.mutants if mutant in few] == list(few)
    assert sample(chosen.mutants, 10_000, 1) == chosen.mutants


def test_sources_without_a_tree_have_no_mutants(subject: Project) -> None:
    """As those of Vyper."""
    units = tuple(
        msgspec.structs.replace(
            unit, sources=tuple(msgspec.structs.replace(each, operations=b"") for each in unit.sources)
        )
        for unit in subject.units
    )
    assert choose_mutants(msgspec.structs.replace(subject, units=units), lambda *_: True).mutants == ()


def test_nothing_is_divided_by_a_written_zero(subject: Project, chosen: Chosen) -> None:
    """Compilers check such divisors when they compile."""
    source = subject.units[0].sources[0].content
    divisors = {each.description for each in chosen.mutants if source[: each.start].endswith(("% ", "/ "))}
    assert {"7 -> 8", "1000 -> 1001", "10 -> 11"} <= divisors
    assert not {"7 -> 0", "1000 -> 0", "10 -> 0"} & divisors


def test_what_the_intermediate_language_shares_or_joins_has_no_mutant(subject: Project, chosen: Chosen) -> None:
    """Conditions of several parts, and numbers that are copied."""
    units = tuple(msgspec.structs.replace(unit, via_ir=True) for unit in subject.units)
    joined = descriptions(choose_mutants(msgspec.structs.replace(subject, units=units), lambda *_: True))
    assert "a >= 100 && b != 0 -> b != 0" in descriptions(chosen) - joined
    assert {"a < b -> a <= b", 'require(msg.sender == owner, "not the owner") -> (left out)'} <= joined


def test_a_number_is_used_once_where_one_instruction_takes_it() -> None:
    """A copy, or one that is left for what comes behind the block, may be anything's."""
    for code, is_once in (
        ("6001600201", True),  # taken by ADD
        ("60016002900160", True),  # exchanged, and taken
        ("6001805500", False),  # copied, and one of both kept
        ("6001600255", True),  # taken by SSTORE
        ("60015b00", False),  # still there at a JUMPDEST
        ("600100", False),  # never taken
    ):
        contract = Contract(
            "A.sol", "A", "contract", (), b"", bytes.fromhex(code), runtime_source_map="0:1:0:-" + 9 * ";"
        )
        assert CodeView(contract, creation=False).is_used_once(0) == is_once, code
