"""Links of the functions that are called: the tests that watch their calls, and the calls that go before them."""

from __future__ import annotations

from simulator.evm.host_memory import view
from simulator.evm.kernel.records import Int64s
from simulator.fuzz.arena import ArenaMemory, MemoryBlock
from simulator.fuzz.checking.oracle_table import OracleTable
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.corpus.native_corpus import write_table
from simulator.fuzz.generation.call_templates import FunctionTable
from simulator.fuzz.records import pack_transaction
from simulator.fuzz.targets.target import TargetFunction


def link_assertions(
    functions: list[TargetFunction], oracles: list[Oracle], table: FunctionTable, tests: OracleTable, main: int
) -> None:
    """Let native code find the test that watches each function; `main` is the address of tests that name none."""
    # By name, because `receive` and `fallback` have no selectors of their own.
    watched = {
        (main if each.address is None else each.address, each.function.signature): each
        for each in oracles
        if each.check.watches_function and each.function
    }
    for target in functions:
        oracle = watched.get((target.deployed.address, target.function.signature))
        if oracle is not None:
            table.set_oracle(target.index, tests.record(oracle.id))


def put_before(functions: list[TargetFunction], table: FunctionTable, memory: ArenaMemory) -> list[MemoryBlock]:
    """Let native code find the calls before tests. The blocks must live as long as the table is used."""
    return [_put_before(target, table, memory) for target in functions if target.before]


def _put_before(target: TargetFunction, table: FunctionTable, memory: ArenaMemory) -> MemoryBlock:
    records = [pack_transaction(call, 0, 0) for call in target.before]
    arena = memory.arena(8 * len(records) + sum(map(len, records)))
    write_table(arena, records)
    record = table.records[target.index]
    record.before = view(Int64s, arena.address)
    record.before_count = len(records)
    return arena
