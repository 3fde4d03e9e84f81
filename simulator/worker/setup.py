"""From a `Setup` frame to a worker that can fuzz: load the kernel, deploy the target, discover tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from simulator.chain.opening import open_state
from simulator.chain.patience import Clock
from simulator.chain.state import ChainState
from simulator.cheatcodes import ECHIDNA_RULES, FORGE_RULES, CheatcodeRules, install_cheatcodes
from simulator.compile.projects.matching import CodeMatcher
from simulator.errors import TargetError
from simulator.evm.code_store import CoverageIdentity, Substitute
from simulator.evm.compiled.hot_codes import HotCodes
from simulator.evm.forked_state import fork_chain
from simulator.evm.host import Host
from simulator.evm.host_memory import as_word
from simulator.evm.machine import Machine
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.generation.dictionary import Dictionary, start_dictionary
from simulator.fuzz.generation.fixture_words import words_of
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.sharing.shared_memory import SharedMemory
from simulator.fuzz.sites.failure_sites import FailureSites
from simulator.fuzz.sites.places import SourcePlaces
from simulator.fuzz.targets.call_plan import CallPlan, Join, plan_calls
from simulator.fuzz.targets.deployment import Deployer, Deployment, addresses_with_code
from simulator.fuzz.targets.discovery import ContractDiscovery
from simulator.fuzz.targets.foundry_campaign import plan_foundry
from simulator.fuzz.targets.left_out import left_out
from simulator.fuzz.targets.surroundings import executed_rules, forked_block, started_block, watched_topics
from simulator.fuzz.targets.target import TargetFunction, nothing_to_call, unmatched_filters
from simulator.kernel_loader import load_kernel
from simulator.modes.foundry import FOUNDRY
from simulator.modes.table import MODES
from simulator.policy import Policy
from simulator.printable import shown_path
from simulator.project import Contract, Project
from simulator.settings import CampaignSettings, ForkSettings
from simulator.trace.address_book import AddressBook
from simulator.transaction import Sequence, address_bytes, address_int
from simulator.worker.commands import Setup


@dataclass
class Worker:
    """Everything one worker fuzzes with."""

    settings: CampaignSettings
    machine: Machine
    deployment: Deployment
    functions: list[TargetFunction]
    oracles: list[Oracle]
    engine: FuzzEngine
    book: AddressBook
    discovery: ContractDiscovery
    replayer: Replayer
    sites: FailureSites
    chain: ChainState | None = None
    hot_codes: HotCodes | None = None  # None: all code is interpreted
    fixed: tuple[Sequence, ...] = ()  # executed once, before anything is built
    left_out: tuple[str, ...] = ()
    join: Join = CallPlan.join


def load_project(path: Path) -> Project:
    """Read the compiled target. Raises `TargetError` when the file is missing or not a `Project`."""
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=Project)
    except (OSError, msgspec.DecodeError) as error:
        raise TargetError(f"{shown_path(path)}: not a compiled project: {error}") from error


Listener = Callable[[str], None]


def build_worker(
    setup: Setup,
    warn: Listener = lambda _: None,
    memory: SharedMemory | None = None,
    substitute: Substitute | None = None,
    watch: Callable[[Machine], None] = lambda _: None,
) -> Worker:
    """Deploy the target and prepare the fuzz loop. `warn` hears, once each, what contracts ask for in vain, such as
    cheatcodes that do not exist; `memory` tells the supervisor what is executed; `substitute` says what runs instead of
    contracts' codes; `watch` gets the machine before anything runs on it. Raises `SimulatorError`."""
    project, settings = load_project(Path(os.fsdecode(setup.project))), setup.settings
    matcher = CodeMatcher(project)
    machine = _machine(project, settings, matcher, warn)
    watch(machine)
    if substitute is not None:
        machine.code_store.substitute = substitute
    chain = _fork_chain(machine, settings.fork, settings.policy, warn) if settings.fork is not None else None
    labels = _install_cheatcodes(machine, project, settings, warn)
    deployer = Deployer(machine, project, settings, matcher)
    deployment = deployer.deploy()
    plan = _plan(settings, deployment, project, deployer)
    settings = plan.settings
    if setup.worker == 0:
        _warn_of_filters(plan, deployment, warn)
    dictionary = _dictionary(machine, project, deployment, plan)
    engine = FuzzEngine(machine, settings, plan.functions, plan.oracles, dictionary, setup.seed, memory, plan.hidden)
    if memory is not None:
        memory.introduce(engine.context)
    labelled = {address_bytes(address): label for address, label in labels.items()}
    return Worker(
        settings,
        machine,
        deployment,
        plan.functions,
        plan.oracles,
        engine,
        book=AddressBook.from_project(project, deployment.labels()).with_addresses(labelled),
        discovery=ContractDiscovery(matcher, deployment.contracts),
        replayer=_replayer(machine, plan, memory),
        hot_codes=HotCodes(machine, warn) if settings.compile_hot_code else None,
        sites=FailureSites(machine, engine.oracles, SourcePlaces(project), warn),
        chain=chain,
        fixed=plan.fixed,
        left_out=left_out(plan, deployment.contracts),
        join=plan.join,
    )


def _plan(settings: CampaignSettings, deployment: Deployment, project: Project, deployer: Deployer) -> CallPlan:
    if settings.test_mode == FOUNDRY.name:
        return plan_foundry(settings, deployment, project, deployer.ask)
    return plan_calls(settings, deployment)


def _dictionary(machine: Machine, project: Project, deployment: Deployment, plan: CallPlan) -> Dictionary:
    """The words of the sources and codes, the addresses that exist, and the fixtures."""
    senders = (*plan.settings.senders, plan.settings.deployer)
    dictionary = start_dictionary(
        _ordered_contracts(project, deployment),
        [machine.get_code(each.address) for each in deployment.contracts],
        [*map(address_int, senders), *addresses_with_code(machine), 0],
    )
    dictionary.absorb(words_of(plan.fixtures))
    return dictionary


def _replayer(machine: Machine, plan: CallPlan, memory: SharedMemory | None) -> Replayer:
    after = next((each.function for each in plan.hidden), None)
    if memory is None:
        return Replayer(machine, plan.settings, after=after)
    return Replayer(machine, plan.settings, memory.holding, after)


def _install_cheatcodes(
    machine: Machine, project: Project, settings: CampaignSettings, warn: Listener
) -> Mapping[int, str]:
    """Answer cheatcodes, unless the settings want none; returns the names that `vm.label` gives to addresses."""
    if not settings.cheatcodes:
        return {}
    return install_cheatcodes(
        machine,
        project,
        allow_ffi=settings.allow_ffi,
        warn=warn,
        fork=settings.fork,
        policy=settings.policy,
        rules=_cheatcode_rules(settings),
    ).labels


def _cheatcode_rules(settings: CampaignSettings) -> CheatcodeRules:
    if not MODES[settings.test_mode].forge_cheatcodes:
        return ECHIDNA_RULES
    return replace(FORGE_RULES, assertions_revert=settings.foundry.assertions_revert)


def _warn_of_filters(plan: CallPlan, deployment: Deployment, warn: Listener) -> None:
    """Name filters that match nothing, and say so when nothing is left to call. Contracts of `allContracts` may be
    created later, so nothing can be said of them."""
    settings = plan.settings
    if settings.all_contracts:
        return
    called = list({id(each.deployed): each.deployed for each in plan.functions}.values()) or deployment.targets
    for entry in unmatched_filters(settings, called):
        warn(f"filterFunctions: {entry} is no function of what is fuzzed; write Contract.function(types)")
    if not plan.functions:
        warn(f"{nothing_to_call(settings, called)}. Its tests are checked as deployed")


def _fork_chain(machine: Machine, fork: ForkSettings, policy: Policy, warn: Listener) -> ChainState:
    state = open_state(fork.urls, fork.block, Path(os.fsdecode(fork.cache)), Clock(), warn, policy)
    fork_chain(machine, state, forked_block(fork.block))
    return state


def _machine(project: Project, settings: CampaignSettings, matcher: CodeMatcher, warn: Listener) -> Machine:
    def identify(code: bytes, is_creation: bool) -> CoverageIdentity | None:
        contract = matcher.match(code, creation=is_creation)
        if contract is None:
            return None
        return CoverageIdentity(
            contract.full_name, len(contract.creation_code if is_creation else contract.runtime_code)
        )

    machine = Machine(
        load_kernel(warn=warn),
        Host,
        fork=executed_rules(project, settings),
        chain=started_block(settings.block),
        identify=identify,
        code_size_limit=settings.max_code_size,
    )
    machine.context.gasprice = as_word(int.from_bytes(settings.gas_price, "big"))
    if MODES[settings.test_mode].watches_events:
        watch_topics(machine, watched_topics(project))
    return machine


def watch_topics(machine: Machine, topics: tuple[bytes, ...]) -> None:
    """Let the kernel note logs with one of these first topics."""
    for index, topic in enumerate(topics):
        machine.context.watched_topics[index] = as_word(int.from_bytes(topic, "big"))
    machine.context.watched_count = len(topics)


def _ordered_contracts(project: Project, deployment: Deployment) -> list[Contract]:
    deployed = [each.contract for each in deployment.contracts]
    names = {contract.full_name for contract in deployed}
    return [*deployed, *(contract for contract in project.contracts if contract.full_name not in names)]
