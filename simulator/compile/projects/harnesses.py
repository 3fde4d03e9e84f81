"""Compiled contracts as test modes look at them."""

from __future__ import annotations

from simulator.abi.contract import ContractAbi
from simulator.modes.mode import Harness
from simulator.project import Contract, Project

ASSERTION_PANIC = bytes.fromhex("6001600452")
"""Storing panic code 1, as solc's code does before it reverts."""
INVALID = 0xFE


def harness_of(project: Project, contract: Contract, prefix: str) -> Harness:
    """The contract as modes look at it. Raises `AbiError`."""
    return Harness(
        contract.name,
        ContractAbi.from_json(contract.abi),
        prefix,
        asserts=_asserts(contract),
        in_foundry_project=(project.folder / "foundry.toml").is_file(),
    )


def _asserts(contract: Contract) -> bool:
    """Return whether its code can fail an assertion: a panic of code 1, before solc 0.8 an invalid opcode, or the
    event."""
    if any(entry.get("type") == "event" and entry.get("name") == "AssertionFailed" for entry in contract.abi):
        return True
    return ASSERTION_PANIC in contract.runtime_code or _has_invalid_opcode(contract.runtime_code)


def _has_invalid_opcode(code: bytes) -> bool:
    """Return whether a jump leads around an invalid opcode, which is how old compilers wrote `assert`."""
    return bytes((0x57, INVALID, 0x5B)) in code
