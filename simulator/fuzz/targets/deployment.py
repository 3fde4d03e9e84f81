"""The state that every sequence starts from: funded accounts, libraries, further contracts, the target, `setUp()`.

On a forked chain, senders and deployer keep what they are there and hold at least their balance; a contract that stands
on the chain where one is to be deployed is taken as it is, and known by the name that was to be deployed.

Addresses, balances and the block environment are those of the settings, which begin with the mode's world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from simulator.abi.codec import encode
from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import selector
from simulator.abi.json_values import read_arguments
from simulator.compile.projects.linking import libraries_of, link
from simulator.compile.projects.matching import CodeMatcher
from simulator.errors import AbiError, KernelError, TargetError
from simulator.evm.addresses import CHEATCODE_ADDRESS, FAILED_SLOT
from simulator.evm.kernel.calls import calls
from simulator.evm.machine import Machine
from simulator.evm.results import Result, Status
from simulator.fuzz.checking.reasons import outcome_text, skip_reason
from simulator.fuzz.targets.target import DeployedContract
from simulator.initialization import InitialStep
from simulator.modes.forge_std import SET_UP, SKIPPED
from simulator.modes.mode import Harness
from simulator.modes.table import MODES
from simulator.project import Contract, Project
from simulator.settings import CampaignSettings, PlannedContract
from simulator.trace.address_book import AddressBook
from simulator.transaction import address_bytes, address_int

FIRST_LIBRARY = 0xFF
RESERVED_ADDRESSES = frozenset({*range(0x01, 0x12), 0x100})


@dataclass(frozen=True)
class FailedDeployment:
    """The test that a deployment itself failed, or skipped with all others, and why."""

    test: str
    reason: str
    is_skipped: bool = False


@dataclass
class Deployment:
    """Contracts on the chain. `contracts` begins with the target and holds every account whose code is known.
    `targets` are those that were deployed to be fuzzed, the target first. `failure` is there where it failed, or
    skipped all tests, and that is a verdict."""

    target: DeployedContract
    contracts: list[DeployedContract] = field(default_factory=list)
    failure: FailedDeployment | None = None
    targets: list[DeployedContract] = field(default_factory=list)

    def labels(self) -> tuple[tuple[bytes, str], ...]:
        """Addresses and full names, for traces."""
        return tuple((address_bytes(each.address), each.contract.full_name) for each in self.contracts)


class Deployer:
    """Deploys one target into a fresh machine."""

    def __init__(self, machine: Machine, project: Project, settings: CampaignSettings, matcher: CodeMatcher) -> None:
        self._machine = machine
        self._project = project
        self._settings = settings
        self._matcher = matcher
        self._libraries: dict[str, int] = {}
        self._on_chain: list[DeployedContract] = []
        self._failure: FailedDeployment | None = None
        self._planned: list[DeployedContract] = []

    def deploy(self) -> Deployment:
        """Raises `TargetError` when a contract is missing or its constructor or `setUp()` fails."""
        self._fund()
        self._initialize()
        contract = self._find(self._settings.contract)
        abi = ContractAbi.from_json(contract.abi)
        address = address_int(self._settings.contract_address)
        if self._stands_on_chain(address):
            self._deploy_extras()
            return self._survey(DeployedContract(address, contract, abi))
        if self._settings.targets:
            self._deploy_extras()
            return self._survey(self._deploy_targets())
        if abi.constructor.inputs.members and not self._settings.constructor_arguments:
            raise TargetError(
                f"{contract.full_name}: the constructor takes arguments {abi.constructor.inputs.canonical}: give each "
                "with --constructor-args, or write a harness contract without constructor arguments that deploys it"
            )
        self._deploy_extras()
        try:
            self._create_target(contract, abi, address)
        except TargetError as error:
            if not MODES[self._settings.test_mode].judges_set_up:
                raise
            self._failure = FailedDeployment("constructor()", str(error))
        else:
            self._run_set_up(abi, address, contract)
        return self._survey(DeployedContract(address, contract, abi))

    def _deploy_targets(self) -> DeployedContract:
        """Deploy what was planned, in order; the settings' contract among it is the target."""
        addresses: dict[str, int] = {}
        for planned in self._settings.targets:
            contract = self._find(planned.name)
            abi, address = ContractAbi.from_json(contract.abi), address_int(planned.address)
            arguments = planned_arguments(contract, abi, planned, addresses)
            if not self._stands_on_chain(address):
                self._create(contract, address, int.from_bytes(planned.value, "big"), arguments)
                self._run_set_up(abi, address, contract)
            addresses[contract.name] = address
            self._planned.append(DeployedContract(address, contract, abi))
        main = self._settings.contract
        self._planned.sort(key=lambda each: main not in (each.contract.full_name, each.contract.name))
        return self._planned[0]

    def _create_target(self, contract: Contract, abi: ContractAbi, address: int) -> None:
        ether = int.from_bytes(self._settings.contract_balance, "big")
        if self._settings.target_balance:
            self._fund_account(address, int.from_bytes(self._settings.target_balance, "big"))
        try:
            self._create(contract, address, ether, self._settings.constructor_arguments)
        except TargetError as error:
            if ether and not abi.constructor.payable:
                raise TargetError(f"{error}; it is not payable, and balanceContract sends it {ether} wei") from error
            if not ether and abi.constructor.payable:
                raise TargetError(f"{error}; it is payable: balanceContract says how many wei it gets") from error
            raise

    def _initialize(self) -> None:
        """Execute what comes before the target. As in Echidna, every step must succeed."""
        machine = self._machine
        for index, step in enumerate(self._settings.initial, 1):
            machine.timestamp += step.seconds
            machine.number += step.blocks
            if step.creates:
                name = f"initialize, step {index}"
                ether, sender = int.from_bytes(step.value, "big"), address_int(step.sender)
                self._create_code(name, step.data, address_int(step.to), ether, sender)
            elif step.to:
                self._call_initially(index, step)

    def _call_initially(self, index: int, step: InitialStep) -> None:
        result = self._machine.transact(
            sender=address_int(step.sender),
            to=address_int(step.to),
            data=step.data,
            value=int.from_bytes(step.value, "big"),
            gas=self._settings.block.gas_limit,
        )
        if not result.success:
            raise TargetError(
                f"initialize, step {index}: the call of 0x{step.to.hex()} failed: {self._outcome(result)}"
            )

    def _fund(self) -> None:
        balance = int.from_bytes(self._settings.sender_balance, "big")
        for sender in {*self._settings.senders, self._settings.deployer, self._settings.property_sender}:
            self._fund_account(address_int(sender), balance)
        for account, code in MODES[self._settings.test_mode].world.codes:
            if not self._stands_on_chain(address_int(account)):
                self._machine.set_code(address_int(account), code)

    def _fund_account(self, address: int, balance: int) -> None:
        machine = self._machine
        if machine.forked is None:
            machine.set_account(address, balance=balance)
        elif machine.get_balance(address) < balance:
            machine.set_balance(address, balance)

    def _stands_on_chain(self, address: int) -> bool:
        forked = self._machine.forked
        return forked is not None and forked.has_contract(address)

    def _find(self, name: str) -> Contract:
        matches = [each for each in self._project.contracts if name in (each.full_name, each.name)]
        if not matches:
            raise TargetError(f"no contract named {name} in the target")
        return matches[0]

    def _deploy_extras(self) -> None:
        for address, name in self._settings.deploy_contracts:
            contract = self._find(name)
            if self._stands_on_chain(address_int(address)):
                abi = ContractAbi.from_json(contract.abi)
                self._on_chain.append(DeployedContract(address_int(address), contract, abi))
            else:
                self._create(contract, address_int(address), 0)
        for address, code in self._settings.deploy_bytecodes:
            self._create_code(f"deployBytecodes 0x{address.hex()}", code, address_int(address), 0)

    def _create(self, contract: Contract, address: int, value: int, arguments: bytes = b"") -> None:
        self._deploy_libraries(contract)
        code = link(contract.creation_code, contract.creation_links, self._libraries)
        self._create_code(contract.full_name, code + arguments, address, value)

    def _deploy_libraries(self, contract: Contract) -> None:
        for library in libraries_of(contract, self._project):
            if library.full_name not in self._libraries:
                address = self._next_library_address()
                code = link(library.creation_code, library.creation_links, self._libraries)
                self._libraries[library.full_name] = address
                self._create_code(library.full_name, code, address, 0)

    def _next_library_address(self) -> int:
        address = max(self._libraries.values(), default=FIRST_LIBRARY - 1) + 1
        while address in RESERVED_ADDRESSES:
            address += 1
        return address

    def _create_code(self, name: str, code: bytes, address: int, value: int, sender: int | None = None) -> None:
        if self._machine.forked is not None:
            self._machine.forked.vacate(address)
        try:
            result = self._machine.transact(
                sender=address_int(self._settings.deployer) if sender is None else sender,
                to=None,
                create_address=address,
                data=code,
                value=value,
                gas=self._settings.block.gas_limit,
            )
        except KernelError as error:
            raise TargetError(f"{name}: {len(code):,} bytes of creation code cannot be deployed: {error}") from error
        if not result.success:
            raise TargetError(f"{name}: the constructor failed: {self._outcome(result)}")

    def _run_set_up(self, abi: ContractAbi, address: int, contract: Contract) -> None:
        if not MODES[self._settings.test_mode].sets_up(Harness(contract.name, abi, self._settings.prefix)):
            return
        result = self._machine.transact(
            sender=address_int(self._settings.deployer),
            to=address,
            data=selector(SET_UP),
            gas=self._settings.block.gas_limit,
        )
        if result.success and not self._machine.get_storage(CHEATCODE_ADDRESS, FAILED_SLOT):
            return
        reason = "a failure was stored" if result.success else self._outcome(result)
        if not MODES[self._settings.test_mode].judges_set_up:
            raise TargetError(f"{contract.full_name}: setUp() failed: {reason}")
        is_skipped = result.output.startswith(SKIPPED)
        if is_skipped:
            reason = skip_reason(result.output)
        self._failure = FailedDeployment(SET_UP, reason, is_skipped)

    def ask(self, data: bytes) -> bytes | None:
        """Return the deployed target's answer to calldata, None when it fails. The state stays as it is."""
        mark = self._machine.mark()
        result = self._machine.transact(
            sender=address_int(self._settings.deployer),
            to=address_int(self._settings.contract_address),
            data=data,
            gas=self._settings.block.gas_limit,
        )
        self._machine.rollback(mark)
        return result.output if result.success else None

    def _outcome(self, result: Result) -> str:
        if result.status is Status.CODE_TOO_LARGE:
            return f"its code is larger than the {self._settings.max_code_size} bytes that codeSize allows"
        book = AddressBook.from_project(self._project, ())
        return outcome_text(result, book.errors)

    def _survey(self, target: DeployedContract) -> Deployment:
        others = [each for each in self._planned if each is not target]
        deployment = Deployment(target, [target, *others, *self._on_chain], self._failure, [target, *others])
        known = {each.address for each in deployment.contracts}
        for address in addresses_with_code(self._machine):
            if address in known:
                continue
            contract = self._matcher.match(self._machine.get_code(address), creation=False)
            if contract is not None:
                deployment.contracts.append(DeployedContract(address, contract, ContractAbi.from_json(contract.abi)))
        return deployment


def planned_arguments(
    contract: Contract, abi: ContractAbi, planned: PlannedContract, addresses: Mapping[str, int]
) -> bytes:
    """The ABI-encoded arguments of a planned contract. `addresses` are those of the contracts before it, by name.
    Raises `TargetError`."""
    inputs = abi.constructor.inputs
    if not planned.arguments and not inputs.members:
        return b""
    if not planned.arguments:
        raise TargetError(
            f"{contract.full_name}: the constructor takes arguments {inputs.canonical}; give them by name in"
            " constructorArgs"
        )
    try:
        return encode(inputs.members, read_arguments(inputs, msgspec.json.decode(planned.arguments), addresses))
    except AbiError as error:
        raise TargetError(f"constructorArgs of {contract.name}: {error}") from error


def addresses_with_code(machine: Machine) -> list[int]:
    """Accounts of the chain that have code, in the order of their appearance; the host's own left out."""
    return [
        record.address
        for record in machine.accounts.all_records()
        if record.kind == calls.ORDINARY and record.code != machine.code_store.empty
    ]
