"""Contracts of a project that are tests or scripts of Foundry's and can be executed for their calls."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.values import EmptyDictionary, generate_arguments
from simulator.compile.projects.selection import deployable
from simulator.errors import AbiError
from simulator.modes.forge_std import IS_TEST, SET_UP
from simulator.modes.foundry import TABLE, is_test
from simulator.project import Contract, Project

IS_SCRIPT, RUN = "IS_SCRIPT()", "run()"
SAMPLES = 2
"""Inputs that a fuzz test is executed with."""
_LIBRARIES = ("lib", "node_modules", "forge-std", "ds-test")


def seeding_contracts(project: Project, target: str) -> tuple[Contract, ...]:
    """Tests and scripts of the project's own sources, sorted by `path:Name`, with something to execute. `target` is the
    `path:Name` of the fuzzed contract, whose tests the campaign executes itself."""
    own = set(project.named_sources)
    return tuple(
        each
        for each in deployable(project)
        if each.full_name != target and _is_own(each, own) and any(seeding_calls(each))
    )


def seeding_calls(contract: Contract) -> Iterator[tuple[str, bytes]]:
    """Names and calldata of what is executed: each unit test, each fuzz test with some inputs, the run of a script.
    Tests without `setUp` and without forge-std are none."""
    try:
        abi = ContractAbi.from_json(contract.abi)
    except AbiError:
        return
    if abi.constructor.inputs.members:
        return
    names = abi.by_signature
    if IS_SCRIPT in names and RUN in names:
        yield RUN, names[RUN].selector
    if IS_TEST in names or SET_UP in names:
        for function in abi.functions:
            if is_test(function) and not function.name.startswith(TABLE):
                yield from ((function.signature, data) for data in _inputs(contract, function))


def _inputs(contract: Contract, function: Function) -> Iterator[bytes]:
    if not function.inputs.members:
        yield function.selector
        return
    for sample in range(SAMPLES):
        rng = Random(f"{contract.full_name}.{function.signature}/{sample}")
        yield function.encode_call(generate_arguments(function.inputs.members, rng, EmptyDictionary()))


def _is_own(contract: Contract, named: set[str]) -> bool:
    if named:
        return contract.path in named
    return not set(_LIBRARIES).intersection(contract.path.split("/"))
