"""Campaigns on several contracts of one target: compiled once, fuzzed one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import trio

from actors.processes.runner import ProcessRunner
from orchestrator.assembly.compilation import compile_several
from orchestrator.assembly.kernel import prepare_kernel
from orchestrator.assembly.observation import Observation
from orchestrator.assembly.signals import Interruption
from orchestrator.campaign import CampaignOutcome, ProgramPorts, run_campaign
from orchestrator.configuration.request import CampaignRequest
from orchestrator.display import show_campaign
from simulator.compile import Selection
from simulator.compile.projects.wanted import is_pattern
from simulator.project import Project

_ODD = re.compile(r"[^A-Za-z0-9_$.-]")


@dataclass(frozen=True)
class Turn:
    """One of several campaigns. `contract` is its `path:Name`; `run` is called once and raises as `run_campaign`."""

    contract: str
    run: Callable[[], CampaignOutcome]


def names_several(request: CampaignRequest) -> bool:
    """Return whether the request is for more than one campaign: it names several contracts, or a pattern of names."""
    names = request.configuration.contracts
    return len(names) > 1 or any(map(is_pattern, names))


def turns_of(request: CampaignRequest, ports: Callable[[CampaignRequest], ProgramPorts]) -> tuple[Turn, ...]:
    """Compile what all campaigns need, and tell them in the order of the names that the request gives.

    Each campaign has the limits, the seed and the configuration of the request, and folders of its own below those of
    the request. Blocks until compilers have ended. Raises `CompileError`, `TargetError` for a name without a contract,
    and `KeyboardInterrupt` after a signal.
    """
    interruption = Interruption()
    with interruption.listening():
        project, selections = trio.run(_compiled, request, interruption)
    folders = _folder_names([each.contract.full_name for each in selections])
    turns = []
    for selection, folder in zip(selections, folders, strict=True):
        own = _own_request(request, selection.contract.full_name, folder)
        prepared = replace(ports(own), prepare=partial(_prepared, project, selection))
        turns.append(Turn(selection.contract.full_name, partial(run_campaign, own, ports=prepared)))
    return tuple(turns)


async def _compiled(request: CampaignRequest, interruption: Interruption) -> tuple[Project, tuple[Selection, ...]]:
    observation = Observation(request)
    found: tuple[Project, tuple[Selection, ...]] | None = None
    async with trio.open_nursery() as nursery:
        await nursery.start(interruption.watch, nursery.cancel_scope)
        nursery.start_soon(show_campaign, request.display, observation.read)
        found = await compile_several(request, observation.tell)
        nursery.cancel_scope.cancel(reason="the target is compiled")
    if found is None or interruption.count:
        raise KeyboardInterrupt
    return found


async def _prepared(
    project: Project,
    selection: Selection,
    _request: CampaignRequest,
    tell: Callable[[str], None],
    _runner: ProcessRunner | None,
) -> tuple[Project, Selection]:
    """In the place of a campaign's compilation."""
    await prepare_kernel(tell)
    return project, selection


def _own_request(request: CampaignRequest, contract: str, folder: str) -> CampaignRequest:
    def below(parent: Path | None) -> Path | None:
        return parent / folder if parent is not None else None

    return replace(
        request,
        configuration=request.configuration.model_copy(update={"contracts": (contract,)}),
        corpus_directory=below(request.corpus_directory),
        coverage_directory=below(request.coverage_directory),
    )


def _folder_names(contracts: Sequence[str]) -> list[str]:
    """A folder's name for each contract: its own name, or the whole `path:Name` where others have that name too. Some
    disks do not tell capital letters from small ones."""
    short = [_as_folder(each.rpartition(":")[2]) for each in contracts]
    found: list[str] = []
    for name, contract in zip(short, contracts, strict=True):
        is_shared = [each.lower() for each in short].count(name.lower()) > 1
        folder = _as_folder(contract) if is_shared else name
        # What is replaced may have been all that two names differed by.
        is_taken = folder.lower() in [each.lower() for each in found]
        found.append(f"{folder}-{len(found)}" if is_taken else folder)
    return found


def _as_folder(text: str) -> str:
    return _ODD.sub("-", text).lstrip(".") or "contract"
