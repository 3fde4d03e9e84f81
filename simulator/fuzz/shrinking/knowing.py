"""Knowledge about the target that a worker shrinks with: comparisons, constants of the code, addresses with code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.generation.dictionary import push_constants
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.shrinking.attempts import Comparisons, Knowledge
from simulator.fuzz.targets.target import DeployedContract
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction

MIN_CONSTANT = 3
MAX_CONSTANT_BITS = 128
MAX_COMPARISONS = 96


def knowledge_of(
    engine: FuzzEngine, settings: CampaignSettings, contracts: Iterable[DeployedContract], oracle: Oracle
) -> Knowledge:
    """Return the knowledge that helps to shrink a failure of this test."""
    deployed = list(contracts)
    return Knowledge(
        lambda sequence: _compared(engine, sequence),
        _test_call(settings, oracle),
        _constants(engine, deployed),
        tuple(each.address for each in deployed),
    )


def _test_call(settings: CampaignSettings, oracle: Oracle) -> Transaction | None:
    if oracle.function is None or not oracle.check.is_property_call:
        return None
    return Transaction(
        settings.property_sender, settings.contract_address, oracle.function.selector, gas=settings.property_gas
    )


def _compared(engine: FuzzEngine, sequence: Sequence) -> Comparisons:
    counts: Counter[tuple[int, int]] = Counter()
    found: Comparisons = {}
    for comparison in engine.comparisons_of_last_call(sequence)[:MAX_COMPARISONS]:
        site = (comparison.code, comparison.program_counter)
        found[(*site, counts[site])] = (comparison.left, comparison.right)
        counts[site] += 1
    return found


def _constants(engine: FuzzEngine, contracts: list[DeployedContract]) -> tuple[int, ...]:
    """Numbers of the sources, then of the code, without masks."""
    named = [
        abs(int(constant.value))
        for each in contracts
        for constant in each.contract.constants
        if constant.type in ("uint", "int")
    ]
    pushed = [value for each in contracts for value, _ in push_constants(engine.machine.get_code(each.address))]
    return tuple(number for number in dict.fromkeys((*named, *pushed)) if _is_telling(number))


def _is_telling(number: int) -> bool:
    return number >= MIN_CONSTANT and number.bit_length() <= MAX_CONSTANT_BITS and number & (number + 1) != 0
