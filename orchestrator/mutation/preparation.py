"""From a request to a run: compile, choose mutants, read the corpus, write what processes read."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from actors.mutation.campaign import MutationCampaign, MutationPlan
from actors.mutation.store import ResultStore
from actors.processes.runner import scrubbed_environment
from actors.workers.process import LocalSpawner
from orchestrator.assembly.addresses import DeployedNames
from orchestrator.assembly.corpus_folder import EchidnaCorpus
from orchestrator.assembly.run_folder import write_project
from orchestrator.configuration.request import CampaignRequest
from simulator.encoding import encode_msgpack
from simulator.errors import TargetError
from simulator.forks import fork_named
from simulator.fuzz.targets.surroundings import executed_rules
from simulator.mutation.choosing import Chosen, choose_mutants, sample
from simulator.mutation.frames import Begin
from simulator.mutation.scope import scope_of
from simulator.own_process import module_command
from simulator.policy import WORKER_VARIABLES
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence
from simulator.worker.commands import Setup

TRIER_COMMAND = tuple(module_command("simulator.mutation"))
RESULTS_FILE = "mutation.json"
MUTANTS_FILE, CORPUS_FILE = "mutants", "sequences"
SHRINK_ATTEMPTS = 200
TRANSIENT_SINCE = "cancun"
Say = Callable[[str], None]


@dataclass(frozen=True)
class MutationLimits:
    """Of one run; see `orchestrator.mutation.request`. `timeout` is for all mutants, in seconds."""

    mutants: int
    calls_each: int
    seconds_each: float
    workers: int
    seed: int
    timeout: float = math.inf


def prepare_run(
    project: Project,
    settings: CampaignSettings,
    corpus: tuple[Sequence, ...],
    only: tuple[str, ...],
    limits: MutationLimits,
    folder: Path,
    kept_in: Path | None,
    say: Say,
) -> MutationCampaign:
    """A run that has not begun. `folder` is private to it; results are kept in `kept_in`. `say` hears what was decided
    or left out, in sentences. Raises `TargetError` when there is nothing to change."""
    settings = msgspec.structs.replace(settings, compile_hot_code=False)
    scope = scope_of(project, settings, only)
    say(scope.note)
    rules = fork_named(executed_rules(project, settings))
    chosen = choose_mutants(project, scope.wants, has_transient=rules.order >= fork_named(TRANSIENT_SINCE).order)
    mutants = sample(chosen.mutants, limits.mutants, limits.seed)
    _tell_of(chosen, len(mutants), say)
    if not mutants:
        raise TargetError(_why_none(chosen))
    if any(unit.via_ir for unit in project.units):
        say(
            "compiled by way of the intermediate language (viaIR): where its optimizer lets equal expressions of a"
            " function share instructions, a mutant changes all of them; compiled without, each is exact"
        )
    mutants_data, corpus_data = encode_msgpack(mutants), encode_msgpack(corpus)
    project_file = write_project(folder, project)
    (folder / MUTANTS_FILE).write_bytes(mutants_data)
    (folder / CORPUS_FILE).write_bytes(corpus_data)
    begin = Begin(
        Setup(0, limits.seed, os.fsencode(project_file), settings),
        os.fsencode(folder / MUTANTS_FILE),
        os.fsencode(folder / CORPUS_FILE),
        limits.calls_each,
        limits.seconds_each,
        SHRINK_ATTEMPTS,
    )
    key = _key(mutants_data, corpus_data, encode_msgpack(settings), f"{limits.seed} {limits.calls_each}".encode())
    spawner = LocalSpawner(TRIER_COMMAND, scrubbed_environment(WORKER_VARIABLES, PYTHONHASHSEED="0"), folder)
    store = ResultStore(kept_in / RESULTS_FILE, key) if kept_in is not None else None
    return MutationCampaign(
        MutationPlan(begin, mutants, limits.workers, limits.timeout), spawner, store, on_problem=say
    )


def _key(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _tell_of(chosen: Chosen, count: int, say: Say) -> None:
    if count < len(chosen.mutants):
        say(f"{count} of {len(chosen.mutants)} mutants are tried, spread over the lines: --mutants says how many")
    if chosen.untraced:
        say(
            f"{chosen.untraced} of {chosen.operations} operations have no mutant: the compiler has folded or merged"
            " them, or left no trace of them in the code"
        )

    if chosen.late_reads:
        say(
            f"{chosen.late_reads} reads of storage after a write have no mutant: those need transient storage, and the"
            f" target was compiled for rules before {TRANSIENT_SINCE}: --solc-args '--evm-version {TRANSIENT_SINCE}'"
        )


def _why_none(chosen: Chosen) -> str:
    if chosen.operations:
        return f"no mutants: none of {chosen.operations} operations has a place of its own in the compiled code"
    return (
        "no mutants: the code under test has no operation that could be changed, or was compiled without a syntax tree"
        " (Vyper, solc before 0.4.12)"
    )


def read_corpus(
    request: CampaignRequest, project: Project, settings: CampaignSettings, say: Say
) -> tuple[Sequence, ...]:
    """The sequences of the request's corpus folder."""
    folder = request.corpus_directory
    if folder is None:
        return ()
    names = DeployedNames(project, settings, lambda: None)
    target = (settings.contract.rpartition(":")[2], settings.contract_address)
    loaded = EchidnaCorpus(folder, names.abi_of, corpus_format=request.corpus_format, target=target).load()
    for problem in loaded.problems:
        say(problem)
    return tuple(stored.sequence for stored in loaded.entries)
