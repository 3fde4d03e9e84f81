"""Parts of the target that a campaign leaves out, for reports; a pass says nothing about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from simulator.abi.contract import Function
from simulator.fuzz.targets.call_plan import CallPlan
from simulator.fuzz.targets.target import DeployedContract
from simulator.modes.checks import DEPLOYED, Check
from simulator.modes.forge_std import SET_UP, is_boilerplate
from simulator.modes.foundry import FOUNDRY, SET_UP_NAME, TABLE, is_invariant, is_reserved, is_test
from simulator.modes.medusa import MEDUSA, is_medusa_test
from simulator.modes.mode import Harness
from simulator.modes.table import MODES

MAX_NAMED = 5


def left_out(plan: CallPlan, deployed: Sequence[DeployedContract]) -> tuple[str, ...]:
    """One sentence for each kind of thing; `deployed` begins with the target."""
    settings, target = plan.settings, deployed[0]
    harness = Harness(target.contract.name, target.abi, settings.prefix)
    mode = MODES[settings.test_mode]
    found = list(_functions(plan, harness, target))
    found += _counted(
        "invariant",
        "never failed for the int256 that it returns (--test-mode optimization looks for the greatest)",
        [each.name for each in plan.oracles if each.check is Check.NOTHING and each.function is not None],
    )
    if mode is FOUNDRY:
        found += _unasked(plan, target)
        found += [
            f"{each.signature} was not run: forge runs setUp()" for each in target.abi.functions if _is_near(each)
        ]
    elif harness.has(SET_UP) and not mode.sets_up(harness):
        where = "never runs it" if mode is MEDUSA else "runs it where there is an IS_TEST()"
        found.append(f"setUp() was not run: {mode.name} mode {where}")
    contracts = [each for each in deployed[1:] if each.contract.kind == "contract"]
    called = {each.deployed.address for each in plan.functions}
    found += _counted(
        "deployed contract", "not called", [e.contract.name for e in contracts if e.address not in called]
    )
    return (*found, *settings.foundry.ignored)


def _unasked(plan: CallPlan, target: DeployedContract) -> Iterator[str]:
    foundry, contract = plan.settings.foundry, target.contract.full_name
    fuzzed = [each for each in target.abi.functions if is_test(each) and each.inputs.members]
    unrun = [
        each.signature
        for each in fuzzed
        if not each.name.startswith(TABLE) and not foundry.is_fuzzed(contract, each.name)
    ]
    yield from _counted("test", "never run, as fuzz.runs is 0", unrun)
    deployed = [each.name for each in plan.oracles if each.depth == DEPLOYED]
    yield from _counted("invariant", "asked of the deployed state alone, as runs or depth is 0", deployed)


def _is_near(function: Function) -> bool:
    """Return whether the name is `setUp` but for its case, which forge passes over."""
    return function.name != SET_UP_NAME and function.name.lower() == SET_UP_NAME.lower()


def _functions(plan: CallPlan, harness: Harness, target: DeployedContract) -> Iterator[str]:
    tested = {each.function for each in plan.oracles if each.function}
    called = {each.function for each in plan.functions if each.deployed.address == target.address}
    decided = {each.name for each in plan.oracles if each.function is None}
    others, unrun, uncalled = [], [], []
    for function in harness.abi.functions:
        if function in tested or function.signature in decided or _is_setting(harness, function):
            continue
        if plan.settings.test_mode == FOUNDRY.name and (is_invariant(function) or is_test(function)):
            unrun.append(function.signature)
        elif _is_test_of_any(harness, function):
            others.append(function.signature)
        elif function not in called and not function.is_view:
            uncalled.append(function.signature)
    mode = plan.settings.test_mode
    yield from _counted("test of another mode", f"no test in {mode} mode", others)
    yield from _counted("test", "not run", unrun)
    yield from _counted("function", "not called", uncalled)


def _is_setting(harness: Harness, function: Function) -> bool:
    is_own = is_reserved(function) and not (is_test(function) or is_invariant(function))
    return function.signature == SET_UP or is_boilerplate(harness, function) or is_own


def _is_test_of_any(harness: Harness, function: Function) -> bool:
    if function.name.startswith(harness.prefix) and not function.inputs.members:
        return True
    return is_invariant(function) or is_test(function) or is_medusa_test(harness, function)


def _counted(noun: str, what: str, names: Iterable[str]) -> Iterator[str]:
    listed = list(names)
    if not listed:
        return
    first, _, rest = noun.partition(" of ")
    plural = f"{first}s of {rest}" if rest else f"{first}s"
    more = f" and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
    number = f"1 {noun} is" if len(listed) == 1 else f"{len(listed)} {plural} are"
    yield f"{number} {what}: {', '.join(listed[:MAX_NAMED])}{more}"
