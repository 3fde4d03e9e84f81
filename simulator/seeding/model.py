"""Questions to the program that executes a project's tests, and its answers."""

from __future__ import annotations

import msgspec

from simulator.settings import CampaignSettings
from simulator.transaction import Sequence


class SeedingRequest(msgspec.Struct, frozen=True):
    """`project` and `tests` are paths, in the bytes of the file system, of the target and of the tests as compiled
    `Project`s; both may be the same. `settings` are those of the campaign."""

    project: bytes
    tests: bytes
    settings: CampaignSettings


class Seeds(msgspec.Struct, frozen=True):
    """`sequences` for the campaign, each once. `contracts` were executed, with `tests` tests and scripts of theirs, of
    which `used` made calls that could be taken. `failed` contracts did not deploy or broke a limit, `unread` tests were
    over the limits of all together."""

    sequences: tuple[Sequence, ...] = ()
    contracts: int = 0
    tests: int = 0
    used: int = 0
    failed: int = 0
    unread: int = 0

    @property
    def calls(self) -> int:
        return sum(map(len, self.sequences))
