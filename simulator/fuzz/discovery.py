"""Contracts that appear while fuzzing: found in the call trees of sequences that reached creation code."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.abi.contract import ContractAbi
from simulator.compile.matching import CodeMatcher
from simulator.errors import AbiError
from simulator.fuzz.replay import Replayed
from simulator.fuzz.target import DeployedContract
from simulator.trace.nodes import CallNode


class ContractDiscovery:
    """Remembers every address it has answered, so that each is found once."""

    def __init__(self, matcher: CodeMatcher, known: list[DeployedContract]) -> None:
        self._matcher = matcher
        self._seen = {contract.address for contract in known}

    def created(self, replayed: Replayed) -> list[DeployedContract]:
        """Contracts of the target that the sequence created at addresses not seen before, in order of creation."""
        found = []
        for address, code in _creations(replayed.calls):
            if address not in self._seen:
                self._seen.add(address)
                contract = self._deployed(address, code)
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


def _creations(nodes: tuple[CallNode, ...]) -> Iterator[tuple[int, bytes]]:
    for node in nodes:
        yield from _creations(tuple(item for item in node.items if isinstance(item, CallNode)))
        if node.is_creation and node.success:
            yield int.from_bytes(node.to, "big"), node.output
