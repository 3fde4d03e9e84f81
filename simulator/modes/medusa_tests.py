"""Tests that a campaign in Medusa's mode runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MedusaTests:
    """The tests of Medusa's mode, all at once: no prefixes mean none of that kind. `panic_codes` fail an assertion.
    Without `required`, a target without tests is only explored."""

    properties: tuple[str, ...] = ("property_",)
    optimizations: tuple[str, ...] = ("optimize_",)
    assertions: bool = True
    panic_codes: tuple[int, ...] = (0x01,)
    required: bool = True
