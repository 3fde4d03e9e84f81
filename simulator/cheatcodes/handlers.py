"""Table of the modules that handle cheatcodes. A module of handlers counts once it stands here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType

from simulator.cheatcodes.core.registry import Cheatcode, registered
from simulator.cheatcodes.documents import parsing, serialization, typed_data
from simulator.cheatcodes.documents import writing as document_writing
from simulator.cheatcodes.expectations import (
    assertions,
    assumptions,
    expected_calls,
    expected_creations,
    expected_emits,
    expected_reverts,
    interception,
    logs,
    mocks,
)
from simulator.cheatcodes.files import programs, variables, versions
from simulator.cheatcodes.files import reading as file_reading
from simulator.cheatcodes.files import writing as file_writing
from simulator.cheatcodes.state import (
    accounts,
    allocations,
    arbitrary_storage,
    artifacts,
    broadcasts,
    control,
    delegations,
    environment,
    forks,
    gas,
    mappings,
    metering,
    pranks,
    slots,
    snapshots,
    state_diffs,
    warmth,
)
from simulator.cheatcodes.values import conversion, ed25519, keys, numbers, randomness, rlp, text, wallets

HANDLER_MODULES: tuple[ModuleType, ...] = (
    parsing,
    serialization,
    typed_data,
    document_writing,
    assertions,
    assumptions,
    expected_calls,
    expected_creations,
    expected_emits,
    expected_reverts,
    interception,
    logs,
    mocks,
    programs,
    file_reading,
    variables,
    versions,
    file_writing,
    accounts,
    allocations,
    arbitrary_storage,
    artifacts,
    broadcasts,
    control,
    delegations,
    environment,
    forks,
    gas,
    mappings,
    metering,
    pranks,
    slots,
    snapshots,
    state_diffs,
    warmth,
    conversion,
    ed25519,
    keys,
    numbers,
    randomness,
    rlp,
    text,
    wallets,
)


@cache
def supported() -> Mapping[bytes, Cheatcode]:
    """Every cheatcode with a handler, by selector."""
    return registered()
