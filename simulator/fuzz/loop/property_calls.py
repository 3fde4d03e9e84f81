"""Properties as transactions: for those who want to see what a property does after a sequence."""

from __future__ import annotations

from itertools import islice

from simulator.fuzz.checking.oracle_table import OracleTable
from simulator.fuzz.checking.oracles import Check, Oracle
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction

MAX_ASKED = 16
"""Properties that are looked at together."""


class PropertyCalls:
    """The properties of a campaign that have not failed."""

    def __init__(self, oracles: list[Oracle], table: OracleTable, settings: CampaignSettings) -> None:
        self._properties = [
            each for each in oracles if each.check.is_property_call and each.check is not Check.FOUNDRY_AFTER
        ]
        self._table = table
        self._settings = settings

    def still_open(self) -> list[Oracle]:
        """The first ones, at most `MAX_ASKED`."""
        return list(islice((each for each in self._properties if self._table.is_open(each.id)), MAX_ASKED))

    def calls(self) -> Sequence:
        """The calls that check these, in their order."""
        return tuple(map(self.call, self.still_open()))

    def call(self, oracle: Oracle) -> Transaction:
        """The call that checks a property."""
        settings = self._settings
        to = settings.contract_address if oracle.address is None else oracle.address.to_bytes(20, "big")
        data = b"" if oracle.function is None else oracle.function.selector
        return Transaction(settings.property_sender, to, data, gas=settings.property_gas)
