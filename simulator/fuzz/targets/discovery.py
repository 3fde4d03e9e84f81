"""Contracts that appear while fuzzing: found in the call trees of sequences that reached creation code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simulator.abi.contract import ContractAbi
from simulator.compile.projects.matching import CodeMatcher
from simulator.errors import AbiError
from simulator.evm.addresses import contract_address
from simulator.evm.tracer import CallNode
from simulator.fuzz.checking.replay import Replayed
from simulator.fuzz.targets.target import DeployedContract

MAX_NONCES = 256
SIBLINGS = 3
"""How many further contracts of a creator are foreseen; only the first of a kind is new coverage."""


class ContractDiscovery:
    """Remembers every address it has answered, so that each is found once."""

    def __init__(self, matcher: CodeMatcher, known: list[DeployedContract]) -> None:
        self._matcher = matcher
        self._seen = {contract.address for contract in known}

    def created(self, replayed: Replayed) -> list[DeployedContract]:
        """Contracts of the target that the sequence created at addresses not seen before, in order of creation."""
        found = []
        for node in _creations(replayed.calls):
            if node.to not in self._seen:
                self._seen.add(node.to)
                contract = self._deployed(node.to, node.output)
                if contract is not None:
                    found.append(contract)
        return found

    def _deployed(self, address: int, code: bytes) -> DeployedContract | None:
        contract = self._matcher.match(code, creation=False)
        if contract is None:
            return None
        try:
            return DeployedContract(address, contract, ContractAbi.from_json(contract.abi))
        except AbiError:
            return None


def coming_addresses(replayed: Replayed) -> list[int]:
    """Return the next addresses at which the creators of this sequence's contracts will create, as far as nonces
    tell."""
    found: dict[int, None] = {}
    for node in _creations(replayed.calls):
        nonces = (nonce for nonce in range(MAX_NONCES) if contract_address(node.sender, nonce) == node.to)
        nonce = next(nonces, None) if node.kind == "CREATE" else None
        if nonce is not None:
            found.update((contract_address(node.sender, nonce + step), None) for step in range(1, SIBLINGS + 1))
    return list(found)


def _creations(nodes: Iterable[CallNode]) -> Iterator[CallNode]:
    for node in nodes:
        yield from _creations(node.children)
        if node.is_creation and node.success:
            yield node
