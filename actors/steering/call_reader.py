"""Conversion of calls written by users to transactions: target contract, its ABI, and whether everything fits."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from actors.runtime.errors import CommandRejected
from actors.steering.commands import CallRequest
from simulator.abi.call_parser import ParsedCall, parse_call
from simulator.abi.contract import ContractAbi
from simulator.abi.types import AbiType, Value
from simulator.abi.values import fill_wildcards
from simulator.errors import AbiError
from simulator.known_names import known_names
from simulator.transaction import DEFAULT_GAS, WORD_MAX, Transaction, address_int, wei_bytes
from simulator.worker.commands import TemplateCall

MAX_CALLS = 100
MAX_TEXT = 1 << 18
"""Characters of all calls of one command: read in a few milliseconds."""
MAX_DELAY = 1 << 40
_QUALIFIED = re.compile(r"\s*([A-Za-z_$][A-Za-z0-9_$]*)\.(?=[A-Za-z_$])")


@dataclass(frozen=True)
class TargetContract:
    """A deployed contract with its plain name; `address` is 20 bytes."""

    name: str
    address: bytes
    abi: ContractAbi


@dataclass(frozen=True)
class ReadCall:
    """A call that fits a function. `text` is the call without the contract's name."""

    contract: TargetContract
    parsed: ParsedCall
    text: str
    request: CallRequest

    def template(self) -> TemplateCall:
        """The call for a template, wildcards and all."""
        request = self.request
        value = wei_bytes(request.value)
        return TemplateCall(self.contract.address, self.text, request.sender, value, request.seconds, request.blocks)


@dataclass(frozen=True)
class CallRequestReader:
    """`contracts` lists what is deployed, the fuzzed contract first. `senders` replace a sender that is left open."""

    contracts: Callable[[], Sequence[TargetContract]]
    senders: tuple[bytes, ...] = ()
    gas: int = DEFAULT_GAS
    rng: random.Random = field(default_factory=lambda: random.Random(0))

    def read(self, requests: Sequence[CallRequest]) -> tuple[ReadCall, ...]:
        """All of the calls, or `CommandRejected` with the first problem."""
        if not 1 <= len(requests) <= MAX_CALLS:
            raise CommandRejected(f"a sequence has 1 to {MAX_CALLS} calls, not {len(requests)}")
        if sum(len(request.text) for request in requests) > MAX_TEXT:
            raise CommandRejected(f"the calls have more than {MAX_TEXT} characters")
        return tuple(self._read(number, request) for number, request in enumerate(requests, 1))

    def fill(self, calls: Sequence[ReadCall]) -> tuple[Transaction, ...]:
        """Transactions, with values in place of wildcards and of senders that are left open."""
        known = _KnownAddresses((*self.senders, *(contract.address for contract in self.contracts())))
        return tuple(self._transaction(call, known) for call in calls)

    def _transaction(self, call: ReadCall, known: _KnownAddresses) -> Transaction:
        values = fill_wildcards(call.parsed, self.rng, known)
        return Transaction(
            call.request.sender or self.rng.choice(self.senders or (bytes(20),)),
            call.contract.address,
            call.parsed.function.encode_call(values),
            wei_bytes(call.request.value),
            call.request.seconds,
            call.request.blocks,
            self.gas,
        )

    def _read(self, number: int, request: CallRequest) -> ReadCall:
        _check(number, request)
        try:
            return self._resolve(request)
        except AbiError as error:
            raise CommandRejected(f"call {number}: {error}") from None

    def _resolve(self, request: CallRequest) -> ReadCall:
        contracts = self.contracts()
        if not contracts:
            raise AbiError("no contract is deployed yet")
        qualified = _QUALIFIED.match(request.text)
        if qualified is not None:
            text = request.text[qualified.end() :]
            return self._of_contract(qualified.group(1), text, request, contracts)
        owner = self._owner(request.text, contracts)
        return ReadCall(owner, parse_call(request.text, owner.abi), request.text, request)

    def _of_contract(self, name: str, text: str, request: CallRequest, contracts: Sequence[TargetContract]) -> ReadCall:
        for contract in contracts:
            if contract.name == name:
                return ReadCall(contract, parse_call(text, contract.abi), text, request)
        known = known_names(name, (contract.name for contract in contracts))
        raise AbiError(f"no contract {name!r} is deployed; known are {known}")

    def _owner(self, text: str, contracts: Sequence[TargetContract]) -> TargetContract:
        """The fuzzed contract, unless another one alone has a function of this name."""
        name = text.partition("(")[0].strip()
        if contracts[0].abi.overloads(name):
            return contracts[0]
        others = [contract for contract in contracts[1:] if contract.abi.overloads(name)]
        if len(others) > 1:
            choices = " or ".join(f"{contract.name}.{name}" for contract in others[:5])
            raise AbiError(f"several contracts have a function {name!r}; write {choices}")
        return others[0] if others else contracts[0]


def _check(number: int, request: CallRequest) -> None:
    if request.sender is not None and (len(request.sender) != 20 or not any(request.sender)):
        raise CommandRejected(f"call {number}: a sender is an address of 20 bytes other than zero")
    if not 0 <= request.value <= WORD_MAX:
        raise CommandRejected(f"call {number}: a value is 0 to 2^256-1 wei")
    if not (0 <= request.seconds <= MAX_DELAY and 0 <= request.blocks <= MAX_DELAY):
        raise CommandRejected(f"call {number}: a delay is 0 to {MAX_DELAY} seconds and blocks")


@dataclass(frozen=True)
class _KnownAddresses:
    """The dictionary of one injection: addresses, and nothing else."""

    known: tuple[bytes, ...]

    def pick(self, abi_type: AbiType, rng: random.Random) -> Value | None:
        return rng.choice(self.addresses()) if abi_type.canonical == "address" and self.known else None

    def addresses(self) -> Sequence[int]:
        return tuple(map(address_int, self.known))
