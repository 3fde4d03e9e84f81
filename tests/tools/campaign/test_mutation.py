"""Mutants for agents: what is asked of the server's runs, and what is told of them."""

from __future__ import annotations

import pytest
import trio

from actors.mutation.campaign import MutationCampaign, MutationPlan
from actors.mutation.results import MutantResult
from simulator.mutation.frames import Begin, Begun
from simulator.mutation.mutant import Mutant
from simulator.settings import CampaignSettings
from simulator.worker.commands import Setup
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.extensions.mutation import (
    GetMutantInput,
    ListSurvivorsInput,
    MutationTools,
    StartMutationInput,
)
from tools.errors import ToolError
from tools.tool import JsonObject

SURVIVOR = Mutant("m1", "Vault.sol", 88, 9, "redeem", "Vault", "arithmetic", "a * b", "a / b", 0, 5, ())
KILLED = Mutant("m2", "Vault.sol", 90, 9, "redeem", "Vault", "store", "x = 1", "(not stored)", 9, 5, ())


class Runs:
    """A server's runs without processes."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.failure = ""
        self.busy = False
        self.current: MutationCampaign | None = None
        self.started: list[StartMutationInput] = []

    def start(self, parts: CampaignComponents, inputs: StartMutationInput) -> None:
        self.started.append(inputs)
        self.busy = True


async def _nobody(worker: int) -> object:
    raise AssertionError("no process is needed")


def finished() -> MutationCampaign:
    begin = Begin(Setup(0, 1, b"", CampaignSettings()), b"", b"", 0, 1.0, 0)
    run = MutationCampaign(MutationPlan(begin, (SURVIVOR, KILLED), 1), _nobody)  # type: ignore[arg-type]
    run.begun = Begun((), ("echidna_broken",), (0,), 0, 0.0)
    for index, (mutant, status) in enumerate(((SURVIVOR, "survived"), (KILLED, "killed"))):
        run._results[index] = MutantResult(mutant, status, (), 7, True)  # type: ignore[arg-type]
    return run


def payload(answer: object) -> JsonObject:
    found = answer.payload  # type: ignore[attr-defined]
    assert isinstance(found, dict)
    return found


async def test_a_run_is_begun_once_at_a_time() -> None:
    """The second is refused while the first is under way, and all are where there is no campaign."""
    runs, access = Runs(), CampaignAccess()
    tools = MutationTools(access, runs)
    with pytest.raises(ToolError, match="no campaign"):
        await tools.start(StartMutationInput())
    access.place.parts = object()  # type: ignore[assignment]
    answer = payload(await tools.start(StartMutationInput.model_validate({"mutants": 5})))
    assert answer["started"] is True
    assert [each.mutants for each in runs.started] == [5]
    with pytest.raises(ToolError, match="already"):
        await tools.start(StartMutationInput())
    with pytest.raises(ToolError, match="monotreme mutate"):
        await MutationTools(access, None).start(StartMutationInput())


async def test_survivors_are_told_with_the_score() -> None:
    """And tests that cannot notice anything."""
    runs = Runs()
    tools = MutationTools(CampaignAccess(), runs)
    with pytest.raises(ToolError, match="start_mutation"):
        await tools.survivors(ListSurvivorsInput())
    runs.current = finished()
    answer = payload(await tools.survivors(ListSurvivorsInput()))
    assert [each["id"] for each in answer["survivors"]] == ["m1"]
    assert answer["survivors"][0]["description"] == "a * b -> a / b"
    assert (answer["score"], answer["killed"], answer["survived"]) == (0.5, 1, 1)
    assert answer["failing"] == ["echidna_broken"]
    await trio.lowlevel.checkpoint()


async def test_a_mutant_is_found_by_its_id() -> None:
    """Or the beginning of it, where that is enough."""
    runs = Runs()
    runs.current = finished()
    tools = MutationTools(CampaignAccess(), runs)
    assert payload(await tools.mutant(GetMutantInput(id="m2")))["status"] == "killed"
    with pytest.raises(ToolError, match="no mutant"):
        await tools.mutant(GetMutantInput(id="m"))
