"""Storage variables that `execute_sequence` watches: `owner`, `Vault.balances[0x10000]`, `Vault@0x<address>.owner`.

The compiler's layout says where they are, so private ones can be watched too. A variable without a contract is one of
the fuzzed contract, or of the only other one that has it; an address after `@` reads a contract's variables elsewhere,
as behind a proxy.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from simulator.errors import AbiError
from simulator.known_names import known_names
from simulator.project import Contract
from simulator.storage.layout import StorageLayout, read_layout
from simulator.storage.places import FORM, StoragePlace, place_of
from simulator.storage.values import MAX_SLOTS, StorageReader
from tools.campaign.access import CampaignComponents
from tools.errors import ErrorCode, ToolError

MAX_ROUNDS = 6
"""Executions of the same calls: what a slot holds tells which are to be read next."""
Slot = tuple[bytes, bytes]
ReadSlots = Callable[[tuple[Slot, ...]], Awaitable[tuple[bytes, ...]]]
_QUALIFIED = re.compile(r"\s*([A-Za-z_$][A-Za-z0-9_$]*)\s*(?:@\s*(0[xX][0-9a-fA-F]{40}))?\s*\.")
_AT = re.compile(r"\s*[A-Za-z_$][A-Za-z0-9_$]*\s*@")


def is_storage(text: str) -> bool:
    """Return whether what is watched is a variable. A call has its arguments in parentheses, before any key."""
    return next((character for character in text if character in "(["), "[") == "["


@dataclass(frozen=True)
class WatchedVariable:
    """A variable of the contract at `address`, 20 bytes."""

    address: bytes
    layout: StorageLayout
    place: StoragePlace


def variable_of(parts: CampaignComponents, text: str, number: int) -> WatchedVariable:
    """The variable that the expression names; `number` is its place among those that are watched. Raises
    `ToolError`."""
    try:
        return _resolve(parts, text)
    except AbiError as error:
        raise ToolError(ErrorCode.INVALID_INPUT, f"watch {number}: {error}", reason="PARSE_ERROR") from None


async def read_variables(variables: list[WatchedVariable], read: ReadSlots) -> list[str]:
    """Read the variables as text; `read` gives the words of slots, or none where they cannot be had."""
    known: dict[Slot, int] = {}
    texts: list[str] = []
    for _ in range(MAX_ROUNDS):
        missing: dict[Slot, None] = {}
        texts = [_text(variable, known, missing) for variable in variables]
        wanted = tuple(missing)[:MAX_SLOTS]
        if not wanted:
            break
        words = await read(wanted)
        if len(words) != len(wanted):
            return ["" for _ in variables]
        known.update(zip(wanted, (int.from_bytes(word, "big") for word in words), strict=True))
    return texts


def _text(variable: WatchedVariable, known: dict[Slot, int], missing: dict[Slot, None]) -> str:
    own = {int.from_bytes(key, "big"): word for (address, key), word in known.items() if address == variable.address}
    reader = StorageReader(variable.layout, own)
    text = reader.text(variable.place)
    missing.update({(variable.address, slot.to_bytes(32, "big")): None for slot in reader.missing})
    return text if not reader.missing else "..."


def _resolve(parts: CampaignComponents, text: str) -> WatchedVariable:
    deployed = list(_deployed(parts))
    if not deployed:
        raise AbiError("no contract is deployed yet")
    names = {contract.name for _, contract in deployed}
    qualified = _QUALIFIED.match(text)
    if qualified is not None and (qualified[1] in names or qualified[2]):
        return _of_contract(parts, deployed, qualified, text[qualified.end() :])
    if _AT.match(text):
        raise AbiError("an address has 40 hex digits and a variable after it, as in Vault@0x....owner")
    return _of_any(deployed, text)


def _of_contract(
    parts: CampaignComponents, deployed: list[tuple[bytes, Contract]], qualified: re.Match[str], rest: str
) -> WatchedVariable:
    name, at = qualified[1], qualified[2]
    if at is None:
        address, contract = next(pair for pair in deployed if pair[1].name == name)
        return _watched(address, contract, rest)
    choices = [contract for _, contract in deployed if contract.name == name]
    choices += [contract for contract in parts.project.contracts if contract.name == name]
    if not choices:
        known = known_names(name, (contract.name for contract in parts.project.contracts if contract.storage))
        raise AbiError(f"there is no contract {name!r}; known are {known}")
    return _watched(bytes.fromhex(at[2:]), choices[0], rest)


def _of_any(deployed: list[tuple[bytes, Contract]], text: str) -> WatchedVariable:
    """Of the fuzzed contract, unless another one alone has a variable of this name."""
    variable = re.split(r"[\s.\[]", text.strip(), maxsplit=1)[0]
    owners = {
        contract.full_name: (address, contract)
        for address, contract in reversed(deployed)
        if any(each.label == variable for each in read_layout(contract.storage).storage)
    }
    first = deployed[0]
    if first[1].full_name in owners or not owners:
        return _watched(*first, text, deployed if not owners else None)
    if len(owners) > 1:
        choices = " or ".join(f"{contract.name}.{variable}" for _, contract in list(owners.values())[:5])
        raise AbiError(f"several contracts have a variable {variable!r}; write {choices}")
    return _watched(*next(iter(owners.values())), text)


def _watched(
    address: bytes, contract: Contract, text: str, others: list[tuple[bytes, Contract]] | None = None
) -> WatchedVariable:
    layout = read_layout(contract.storage)
    try:
        place = place_of(layout, text)
    except AbiError as error:
        if not contract.storage and not others:
            raise AbiError(f"{contract.name}: the compiler gave no layout of its storage, or it has none") from None
        known = [f"{each.name}.{one.label}" for _, each in others or () for one in read_layout(each.storage).storage]
        if others and known:
            message = (
                f"there is no storage variable {text.strip()[:100]!r}; known are {known_names(text, known)}; {FORM}"
            )
            raise AbiError(message) from None
        raise AbiError(f"{contract.name}: {error}") from None
    if place.type.encoding == "mapping":
        raise AbiError(f"{text.strip()[:200]} is a {place.type.label}; name a key, as {text.strip()[:200]}[...]")
    return WatchedVariable(address, layout, place)


def _deployed(parts: CampaignComponents) -> Iterator[tuple[bytes, Contract]]:
    """Deployed contracts with their addresses, the fuzzed one first."""
    ready = parts.campaign.ready
    contracts = {contract.full_name: contract for contract in parts.project.contracts}
    found = [(address, contracts[label]) for address, label in (ready.addresses if ready else ()) if label in contracts]
    yield from sorted(found, key=lambda pair: pair[0] != parts.settings.contract_address)
