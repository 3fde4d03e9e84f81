from __future__ import annotations

from pathlib import Path

import pytest

from simulator.compile import CompileOptions, compile_targets
from simulator.mutation.choosing import Chosen, choose_mutants
from simulator.mutation.scope import scope_of
from simulator.project import Project
from simulator.settings import CampaignSettings

HERE = Path(__file__).parent
POT = Path(__file__).resolve().parents[3] / "examples" / "property_strength"


@pytest.fixture(scope="session")
def subject() -> Project:
    """A contract with every kind of operation."""
    return compile_targets([HERE / "Subject.sol"], CompileOptions())


@pytest.fixture(scope="session")
def chosen(subject: Project) -> Chosen:
    """Its mutants."""
    return choose_mutants(subject, scope_of(subject, settings_of(subject, "Subject"), ()).wants)


@pytest.fixture(scope="session")
def pot() -> Project:
    """The example whose properties look complete."""
    return compile_targets([POT], CompileOptions())


def settings_of(project: Project, name: str) -> CampaignSettings:
    """Settings to deploy a contract."""
    full = next(each.full_name for each in project.contracts if each.name == name)
    return CampaignSettings(contract=full, compile_hot_code=False, sequence_length=20)
