"""Names and ABIs of the accounts that traces and reports speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from simulator.abi.contract import AbiEvent, ContractAbi, CustomError, Function
from simulator.abi.reasons import index_errors
from simulator.abi.types import AbiType, Tuple, UInt, parse_type_text
from simulator.compile.projects.matching import CodeMatcher
from simulator.errors import AbiError
from simulator.evm.tracer import CallNode
from simulator.project import Project
from simulator.transaction import address_bytes

WELL_KNOWN = {
    bytes.fromhex("7109709ecfa91a80626ff3989d68f67f5b1dd12d"): "VM",
    bytes.fromhex("000000000000000000636f6e736f6c652e6c6f67"): "console",
    **{
        number.to_bytes(20, "big"): name
        for number, name in enumerate(("ecrecover", "sha256", "ripemd160", "identity"), 1)
    },
}

STORAGE = " storage"


class AddressBook:
    """`contracts` maps full names (`path:Name`) to ABIs, `addresses` accounts (20 bytes) to full names or to labels of
    any kind. What an account's own ABI does not know is looked up in all others, because proxies answer for the code
    behind them and logs may come from libraries."""

    def __init__(
        self, contracts: Mapping[str, ContractAbi], addresses: Mapping[bytes, str], project: Project | None = None
    ) -> None:
        self._contracts = dict(contracts)
        self._addresses = dict(addresses)
        self._project = project

    @classmethod
    def from_project(cls, project: Project, addresses: Iterable[tuple[bytes, str]]) -> AddressBook:
        """All contracts of a project, and where they were deployed. An ABI that cannot be read is left out."""
        contracts: dict[str, ContractAbi] = {}
        for contract in project.contracts:
            try:
                contracts[contract.full_name] = ContractAbi.from_json(contract.abi)
            except AbiError:
                continue
        return cls(contracts, dict(addresses), project)

    def with_addresses(self, addresses: Mapping[bytes, str]) -> AddressBook:
        """The same book with further accounts, such as those created at run time."""
        return AddressBook(self._contracts, {**self._addresses, **addresses}, self._project)

    def with_creations(self, calls: Iterable[CallNode]) -> AddressBook:
        """The same book with the accounts that these calls create, where their creation code is a known contract's."""
        if self._project is None:
            return self
        created: dict[bytes, str] = {}
        for node in _creations(calls):
            address = address_bytes(node.to)
            contract = self._matcher.match(node.input, creation=True) if not self.is_known(address) else None
            if contract is not None:
                created[address] = contract.full_name
        return self.with_addresses(created) if created else self

    def is_known(self, address: bytes) -> bool:
        return address in self._addresses or address in WELL_KNOWN

    def name(self, address: bytes) -> str:
        """The contract's plain name, else the address as 0x-hex of 40 digits."""
        label = self._addresses.get(address) or WELL_KNOWN.get(address)
        return label.rpartition(":")[2] if label else f"0x{address.hex()}"

    def abi(self, address: bytes) -> ContractAbi | None:
        return self._contracts.get(self._addresses.get(address, ""))

    def function(self, address: bytes, data: bytes) -> Function | None:
        """The function that calldata to this account calls."""
        abi = self.abi(address)
        if abi is not None and (function := abi.by_selector.get(data[:4])):
            return function
        return self._functions.get(data[:4]) or self._library_functions.get(data[:4])

    def event(self, address: bytes, topics: tuple[bytes, ...]) -> AbiEvent | None:
        """The event behind a log's first topic and number of topics: equal signatures may differ in what is indexed."""
        if not topics:
            return None
        abi = self.abi(address)
        candidates = [abi.by_topic.get(topics[0])] if abi is not None else []
        candidates += self._events.get(topics[0], [])
        return next((event for event in candidates if event and sum(event.indexed) == len(topics) - 1), None)

    def selectors_named(self, name: str) -> frozenset[bytes]:
        """Selectors of all functions of that name, in any contract."""
        return frozenset(selector for selector, function in self._functions.items() if function.name == name)

    @cached_property
    def errors(self) -> Mapping[bytes, CustomError]:
        """Custom errors of all contracts by selector."""
        return index_errors(self._contracts.values())

    @cached_property
    def _matcher(self) -> CodeMatcher:
        return CodeMatcher(self._project or Project("", ()))

    @cached_property
    def _functions(self) -> Mapping[bytes, Function]:
        return {s: function for abi in self._contracts.values() for s, function in abi.by_selector.items()}

    @cached_property
    def _library_functions(self) -> Mapping[bytes, Function]:
        contracts = self._project.contracts if self._project is not None else ()
        known = (library_function(signature) for each in contracts for signature in each.library_signatures)
        return {function.selector: function for function in known}

    @cached_property
    def _events(self) -> Mapping[bytes, list[AbiEvent]]:
        events: dict[bytes, list[AbiEvent]] = {}
        for abi in self._contracts.values():
            for topic, event in abi.by_topic.items():
                events.setdefault(topic, []).append(event)
        return events


def _creations(calls: Iterable[CallNode]) -> Iterator[CallNode]:
    """Creations that got an address, at any depth, in no particular order."""
    waiting = list(calls)
    while waiting:
        node = waiting.pop()
        if node.is_creation and node.to:
            yield node
        waiting.extend(node.children)


def library_function(signature: str) -> Function:
    """The function of a library that JSON ABIs leave out because it takes storage, from its signature alone:
    `insert(Set.Data storage,uint256)` is what solc hashes. Storage is passed as its slot.

    Enums, contracts and structs stand there by name, which tells nothing of their form: the function then has no
    inputs."""
    name, _, parameters = signature.partition("(")
    try:
        inputs = Tuple(tuple(map(_passed, _split(parameters.removesuffix(")")))))
    except AbiError:
        inputs = Tuple(())
    return Function(name, inputs, written=signature)


def _passed(parameter: str) -> AbiType:
    return UInt(256) if parameter.endswith(STORAGE) else parse_type_text(parameter)


def _split(parameters: str) -> list[str]:
    """At the commas outside of parentheses, which tuples and mappings have."""
    parts, depth = [""], 0
    for character in parameters:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts if parameters else []
