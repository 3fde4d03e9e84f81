"""The sites at which the tests of a campaign are known to fail: each is a finding, and failing there again is not.

The native loop tells sites apart by keys, which hold for one process. Campaigns know sites by texts, such as
`src/Vault.sol:42:9 "solvency"`; several keys may stand for one text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from simulator.abi.codec import decode
from simulator.abi.reasons import ERROR_SELECTOR
from simulator.abi.types import String
from simulator.errors import AbiError
from simulator.evm.host_memory import view
from simulator.evm.kernel.layout.log import Log as LogRecord
from simulator.evm.kernel.records import pointer
from simulator.evm.logs import read_log
from simulator.evm.machine import Machine
from simulator.fuzz.checking.oracle_table import OracleTable, SiteKeys
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.native.layout.oracle_record import MAX_SITE_KEYS
from simulator.fuzz.native.sites import WHOLE
from simulator.fuzz.sites.places import FailurePlace, SourcePlaces
from simulator.printable import one_line

MAX_SITES = 32
"""Findings of one test. Past them it is no longer checked."""
MAX_ALIKE = 8
"""Sites of one place whose messages differ in numbers only. Past them the numbers are taken for values."""
MAX_MESSAGE = 120
MAX_LOG_DATA = 1 << 12
_VALUE = re.compile(r"(?P<before>[<=>!]\s*-?)\d+|0x[0-9a-fA-F]+|\d{5,}|\d+(?=\s*[<=>!])")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")


@dataclass(frozen=True)
class Failure:
    """One failure: the text of its site, empty where the test fails as a whole, and the keys that stand for it."""

    site: str
    keys: tuple[int, ...]


class FailureSites:
    """Keeps the sites of each test, by oracle id, and the native loop informed of them. `warn` hears of tests that are
    closed because they fail at too many."""

    def __init__(
        self, machine: Machine, oracles: OracleTable, places: SourcePlaces, warn: Callable[[str], None]
    ) -> None:
        self._machine = machine
        self._oracles = oracles
        self._places = places
        self._warn = warn
        self._keys: dict[int, dict[str, list[int]]] = {}
        self._alike: dict[tuple[int, str], set[str]] = {}
        self._full: set[int] = set()

    # --- what failed -------------------------------------------------------------------------------------------------

    def failure(self, oracle: Oracle, keys: SiteKeys) -> Failure:
        """The failure that the machine has just executed, which the native loop knows by these keys."""
        if keys.site == WHOLE:
            return Failure("", (WHOLE,))
        context = self._machine.context
        events = [context.event_keys[index] for index in range(context.event_count)]
        if keys.site in events:
            index = events.index(keys.site)
            place = self._place(context.event_cells[index], 0)
            return self._named(oracle, place, _message_of_log(context.event_logs[index]), keys)
        place = self._place(pointer(context.failed_side), context.failed_return)
        return self._named(oracle, place, self._message_of_ending(), keys)

    def _named(self, oracle: Oracle, place: FailurePlace, message: str, keys: SiteKeys) -> Failure:
        exact, alike = _without_values(message), _NUMBER.sub("#", message)
        key = keys.site if place.by_caller else keys.place
        known = self._alike.setdefault((oracle.id, f"{place.text} {alike}"), set())
        if exact not in known and len(known) >= MAX_ALIKE:
            return Failure(_text(place.text, alike), (key, keys.family))
        known.add(exact)
        return Failure(_text(place.text, exact), (key,))

    def _place(self, address: int, caller: int) -> FailurePlace:
        for covered in self._machine.codes:
            cell, rest = divmod(address - covered.cells_address, 8)
            if 0 <= cell < covered.map.cells and rest == 0:
                return self._places.of_cell(covered.map, cell, caller)
        return FailurePlace("unknown code", by_caller=True)

    def place_of_ending(self) -> tuple[int, int, str]:
        """Return the place at which the transaction that has just been executed failed: code and cell that tell it,
        -1 where none does, and the place as text."""
        address = pointer(self._machine.context.failed_side)
        for number, covered in enumerate(self._machine.codes):
            cell, rest = divmod(address - covered.cells_address, 8)
            if 0 <= cell < covered.map.cells and rest == 0:
                place = self._places.of_cell(covered.map, cell, self._machine.context.failed_return)
                return number, cell, place.text
        return -1, -1, ""

    def _message_of_ending(self) -> str:
        output = self._machine.output()
        if output[:4] == ERROR_SELECTOR:
            return _string(output[4:])
        return _message_of_log(pointer(self._machine.context.failed_log))

    # --- what is known -----------------------------------------------------------------------------------------------

    def is_known(self, oracle: Oracle, failure: Failure) -> bool:
        """Return whether it is no news that the test fails there."""
        return failure.site in self._keys.get(oracle.id, {})

    def settle(self, oracle: Oracle, site: str, keys: tuple[int, ...] = ()) -> None:
        """The test is known to fail at a site. Failing as a whole closes it, and so do too many sites."""
        sites = self._keys.setdefault(oracle.id, {})
        known = sites.setdefault(site, [])
        known += [key for key in keys if key not in known]
        total = sum(map(len, sites.values()))
        if not site:
            self._oracles.set_open(oracle.id, False)
        elif len(sites) >= MAX_SITES or total > MAX_SITE_KEYS:
            self._close(oracle, len(sites))
        self._oracles.settle(oracle.id, self._settled(oracle))

    def _close(self, oracle: Oracle, count: int) -> None:
        self._oracles.set_open(oracle.id, False)
        if oracle.id not in self._full:
            self._full.add(oracle.id)
            self._warn(
                f"{oracle.name} fails at {count} places, and is no longer checked: those after the first "
                f"{MAX_SITES} are left out; mend some of them and fuzz again"
            )

    def _settled(self, oracle: Oracle, but: str | None = None) -> list[int]:
        sites = self._keys.get(oracle.id, {})
        return [key for site, keys in sites.items() if site != but for key in keys]

    # --- one site alone ----------------------------------------------------------------------------------------------

    def look_for(self, oracle: Oracle, site: str) -> None:
        """Let the test fail at this site again, as while its sequence is shrunk."""
        self._oracles.settle(oracle.id, self._settled(oracle, but=site))

    def look_for_new(self, oracle: Oracle) -> None:
        """Let it fail at sites that are not known only."""
        self._oracles.settle(oracle.id, self._settled(oracle))

    def belongs(self, oracle: Oracle, site: str, keys: SiteKeys) -> bool:
        """Return whether one of the keys is known to stand for this site."""
        return not set(keys).isdisjoint(self._keys.get(oracle.id, {}).get(site, ()))

    def note_key(self, oracle: Oracle, site: str, keys: tuple[int, ...]) -> None:
        """Further keys of a site that is looked for."""
        known = self._keys.setdefault(oracle.id, {}).setdefault(site, [])
        known += [key for key in keys if key not in known]


def _without_values(message: str) -> str:
    return _VALUE.sub(lambda found: f"{found['before'] or ''}#", message)


def _text(place: str, message: str) -> str:
    if not message:
        return place
    return f'{place} "{one_line(message[:MAX_MESSAGE])}"'


def _message_of_log(address: int) -> str:
    """The string that an event's data begins with. The record may have been overwritten: then anything comes out."""
    if not address:
        return ""
    record = view(LogRecord, address)
    if not (0 <= record.topic_count <= 4 and 0 <= record.data_size <= MAX_LOG_DATA):
        return ""
    return _string(read_log(record).data)


def _string(data: bytes) -> str:
    with suppress(AbiError):
        return str(decode((String(),), data, strict=False)[0])
    return ""
