"""The contracts that are measured, and how they are compiled and configured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from simulator.compile import CompileOptions, choose_contract, compile_targets
from simulator.settings import CampaignSettings

CONTRACTS = Path(__file__).parents[1] / "contracts"
CONFIGURATION = Path(__file__).parents[1] / "campaign.yaml"
SEQUENCE_LENGTH = 100


@dataclass(frozen=True)
class Target:
    """One contract in `folder`: `name` is its contract and file name, `kind` what it is made of, for people."""

    name: str
    kind: str
    folder: Path = CONTRACTS

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name}.sol"

    @property
    def invariants(self) -> str:
        """The contract that forge runs."""
        return f"{self.name}Invariants"


TARGETS = (
    Target("Erc20", "ERC-20"),
    Target("Maze", "maze, branch-heavy"),
    Target("Storage", "storage-heavy"),
    Target("Keccak", "keccak-heavy"),
    Target("Nested", "nested calls, ten contracts"),
)


@dataclass(frozen=True)
class CompiledTarget:
    """`project` is a file as the worker reads it; `evm_version` is what the compiler was told."""

    target: Target
    project: Path
    settings: CampaignSettings
    evm_version: str


def compile_target(target: Target, folder: Path, *, compile_hot_code: bool = True) -> CompiledTarget:
    """Compile into `folder`. The settings are those of `campaign.yaml`. Raises `CompileError`."""
    project = compile_targets([target.file], CompileOptions())
    contract = choose_contract(project, target.name).contract
    path = folder / f"{target.name}.project"
    path.write_bytes(msgspec.msgpack.encode(project))
    settings = CampaignSettings(
        contract=contract.full_name,
        sequence_length=SEQUENCE_LENGTH,
        exclude_view_pure=True,
        test_mode="property",
        compile_hot_code=compile_hot_code,
    )
    unit = next(unit for unit in project.units if contract in unit.contracts)
    return CompiledTarget(target, path, settings, unit.evm_version)
