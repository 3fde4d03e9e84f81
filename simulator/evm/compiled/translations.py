"""The table of translations: what each instruction becomes."""

from __future__ import annotations

from collections.abc import Callable

from simulator.evm.compiled.blocks import DecodedInstruction
from simulator.evm.compiled.trace import Trace

Translation = Callable[[Trace, DecodedInstruction], None]
TRANSLATIONS: dict[str, Translation] = {}


def translation(name: str) -> Callable[[Translation], Translation]:
    """Register how the instructions of a handler are written. Instructions without a translation are left to the
    interpreter."""

    def register(function: Translation) -> Translation:
        if name in TRANSLATIONS:
            raise ValueError(f"two translations of {name}")
        TRANSLATIONS[name] = function
        return function

    return register
