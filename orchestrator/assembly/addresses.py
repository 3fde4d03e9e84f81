"""Addresses of contracts, for corpus files and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from actors.steering.call_reader import TargetContract
from simulator.abi.contract import ContractAbi
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook
from simulator.worker.reports import Ready


class DeployedNames:
    """Answers for the fuzzed contract at once, and for the others once a worker has deployed them. Thread-safe: only
    reads what is frozen."""

    def __init__(self, project: Project, settings: CampaignSettings, ready: Callable[[], Ready | None]) -> None:
        self._project = project
        self._main = (settings.contract_address, settings.contract)
        self._ready = ready
        self._book = AddressBook.from_project(project, [self._main])
        self._complete = False

    def book(self) -> AddressBook:
        """Names and ABIs of all accounts known so far."""
        ready = self._ready()
        if not self._complete and ready is not None:
            self._book = AddressBook.from_project(self._project, [self._main, *self._full_names(ready.addresses)])
            self._complete = True
        return self._book

    def abi_of(self, address: bytes) -> ContractAbi | None:
        """The ABI of the contract at an address of 20 bytes."""
        return self.book().abi(address)

    def contracts(self) -> tuple[TargetContract, ...]:
        """Deployed contracts with an ABI, the fuzzed contract first."""
        book = self.book()
        ready = self._ready()
        others = [address for address, _ in ready.addresses] if ready is not None else []
        addresses = dict.fromkeys((self._main[0], *others))
        known = ((address, book.abi(address)) for address in addresses)
        return tuple(TargetContract(book.name(address), address, abi) for address, abi in known if abi is not None)

    def _full_names(self, addresses: Iterable[tuple[bytes, str]]) -> Iterable[tuple[bytes, str]]:
        """Labels that are plain names of contracts become `path:Name`, which is how ABIs are found."""
        full = {contract.name: contract.full_name for contract in self._project.contracts}
        return ((address, full.get(label, label)) for address, label in addresses)
