"""Calls of a test as calls of a campaign: the same functions on the campaign's contracts, by the campaign's senders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import cycle
from typing import cast

from simulator.abi.contract import ContractAbi
from simulator.abi.types import AbiType, Address, Array, Tuple, Value
from simulator.errors import AbiError
from simulator.evm.tracer import CallNode
from simulator.fuzz.targets.target import DeployedContract, TargetFunction
from simulator.project import Contract
from simulator.seeding.recorded_calls import RecordedCall, Recording
from simulator.settings import CampaignSettings
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction, address_bytes, address_int, wei_bytes


class Translator:
    """Knows what one campaign calls.

    A call of a contract's function is one of the same contract in the campaign, or of a harness that inherits from it.
    Where there is neither, it is a call of the one function that has its signature, as handlers have it, or whose name
    ends in its name after `_` with the same arguments, such as `vault_deposit(uint256)`.
    """

    def __init__(
        self, settings: CampaignSettings, functions: Iterable[TargetFunction], deployed: Iterable[DeployedContract]
    ) -> None:
        self._settings = settings
        self._functions: dict[bytes, list[TargetFunction]] = defaultdict(list)
        self._handlers: dict[str, list[TargetFunction]] = defaultdict(list)
        for each in functions:
            if not (each.alone or each.is_fallback or each.function.is_view) and len(each.selector) == SELECTOR_SIZE:
                self._functions[each.selector].append(each)
                for handled in _handled(each.function.signature):
                    self._handlers[handled].append(each)
        self._deployed = list(deployed)
        self._abis: dict[str, ContractAbi] = {}

    def wants(self, frame: CallNode, contract: Contract | None) -> bool:
        """Return whether a call of an account of that contract, None where it is not known, has its like in the
        campaign."""
        return bool(self._candidates(frame.input, contract))

    def sequence(self, recording: Recording) -> Sequence:
        """The recorded calls, as many as a sequence of the campaign has; all of them are wanted."""
        instances, senders = self._instances(recording), self._senders(recording)
        calls = (self._call(each, recording, instances, senders) for each in recording.calls)
        return tuple(each for each in calls if each is not None)[: self._settings.sequence_length]

    # --- functions ---------------------------------------------------------------------------------------------------

    def _candidates(self, data: bytes, contract: Contract | None) -> list[TargetFunction]:
        alike = self._functions.get(data[:SELECTOR_SIZE], [])
        if contract is None:
            return alike if _is_one_function(alike) else []
        own = [each for each in alike if _stands_for(each.deployed.contract, contract)]
        if own or _is_one_function(alike):
            return own or alike
        function = self._abi(contract).by_selector.get(data[:SELECTOR_SIZE])
        handlers = self._handlers.get(function.signature.lower(), []) if function is not None else []
        return handlers if _is_one_function(handlers) else []

    def _abi(self, contract: Contract) -> ContractAbi:
        name = contract.full_name
        if name not in self._abis:
            try:
                self._abis[name] = ContractAbi.from_json(contract.abi)
            except AbiError:
                self._abis[name] = ContractAbi()
        return self._abis[name]

    def _call(
        self, call: RecordedCall, recording: Recording, instances: Mapping[int, int], senders: Mapping[int, int]
    ) -> Transaction | None:
        candidates = self._candidates(call.data, recording.instances.get(call.to))
        if not candidates:
            return None
        at = instances.get(call.to)
        target = next((each for each in candidates if each.deployed.address == at), candidates[0])
        settings, most = self._settings, address_int(self._settings.max_value)
        value = min(call.value, most, address_int(settings.sender_balance)) if target.function.payable else 0
        return Transaction(
            sender=address_bytes(senders[call.sender]),
            to=address_bytes(target.deployed.address),
            data=_translated(target, call.data, {**senders, **instances}),
            value=wei_bytes(value),
            seconds=min(call.seconds, settings.max_time_delay),
            blocks=min(call.blocks, settings.max_block_delay),
            gas=settings.transaction_gas,
        )

    # --- accounts ----------------------------------------------------------------------------------------------------

    def _instances(self, recording: Recording) -> dict[int, int]:
        found: dict[int, int] = {}
        taken: dict[str, int] = defaultdict(int)
        for address, contract in recording.instances.items():
            own = [each.address for each in self._deployed if _stands_for(each.contract, contract)]
            if own:
                found[address] = own[min(taken[contract.full_name], len(own) - 1)]
                taken[contract.full_name] += 1
        return found

    def _senders(self, recording: Recording) -> dict[int, int]:
        """Map the creators of what is called to the deployer, where the campaign calls as the deployer too."""
        senders = list(map(address_int, self._settings.senders))
        found: dict[int, int] = {}
        deployer = address_int(self._settings.deployer)
        creators = [recording.creators[each.to] for each in recording.calls if each.to in recording.creators]
        if creators and deployer in senders:
            found[creators[0]] = deployer
        callers = dict.fromkeys(each.sender for each in recording.calls)
        found |= {each: each for each in callers if each in senders and each not in found}
        free = cycle([each for each in senders if each not in found.values()] or senders)
        return found | {each: next(free) for each in callers if each not in found}


def _handled(signature: str) -> set[str]:
    """Return the function that a handler of this signature may call: what its name says after `_`, in lower case."""
    name, bracket, rest = signature.lower().partition("(")
    parts = name.split("_")
    return {"_".join(parts[index:]) + bracket + rest for index in range(1, len(parts))}


def _is_one_function(found: list[TargetFunction]) -> bool:
    """Return whether these are one function, of one contract or of several accounts with the same code."""
    return bool(found) and len({each.deployed.contract.full_name for each in found}) == 1


def _stands_for(own: Contract, other: Contract) -> bool:
    return own.full_name == other.full_name or other.full_name in own.bases


def _translated(target: TargetFunction, data: bytes, accounts: Mapping[int, int]) -> bytes:
    """The calldata with the function's selector and the campaign's addresses; as it is where it does not decode."""
    own = target.selector + data[SELECTOR_SIZE:]
    try:
        values = target.function.decode_call(own)
        members = target.function.inputs.members
        return target.function.encode_call([_moved(*pair, accounts) for pair in zip(members, values, strict=True)])
    except AbiError:
        return own


def _moved(abi_type: AbiType, value: Value, accounts: Mapping[int, int]) -> Value:
    match abi_type:
        case Address():
            return accounts.get(cast("int", value), value)
        case Array(element):
            return tuple(_moved(element, each, accounts) for each in cast("Iterable[Value]", value))
        case Tuple(members):
            parts = zip(members, cast("Iterable[Value]", value), strict=True)
            return tuple(_moved(*part, accounts) for part in parts)
        case _:
            return value
