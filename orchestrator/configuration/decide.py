"""The choices that a configuration leaves open, made once: seed, workers, limits, folders and what is shown."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from actors.campaign.pool import MAX_WORKERS
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.model import DEFAULT_TIME_LIMIT, Configuration
from orchestrator.configuration.request import CampaignRequest, Display
from orchestrator.configuration.types import ALL_CORES
from orchestrator.report.requested import ReportFile
from orchestrator.streams import is_terminal
from simulator.initialization import read_initialization
from simulator.policy import Policy
from simulator.printable import shown_path

_MAX_DEFAULT_WORKERS = 4


@dataclass(frozen=True, slots=True)
class DecisionInputs:
    """Inputs of the decisions from outside the configuration. `random_seed` is used when no seed is given."""

    cores: int
    random_seed: int
    stdout_is_terminal: bool
    stderr_is_terminal: bool
    color: bool

    @staticmethod
    def observe() -> DecisionInputs:
        """The surroundings of this process. A random seed stays below 2**53, which every JSON reader keeps exact."""
        return DecisionInputs(
            cores=available_cores(),
            random_seed=secrets.randbits(53),
            stdout_is_terminal=is_terminal(sys.stdout),
            stderr_is_terminal=is_terminal(sys.stderr),
            color=not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        )


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_workers(cores: int) -> int:
    """Echidna's default: one worker for each core, at least 1 and at most 4."""
    return max(1, min(cores, _MAX_DEFAULT_WORKERS))


def _workers(configuration: Configuration, cores: int) -> int:
    """A cluster says itself how many cores it has: the campaign begins there with one worker for all of them."""
    if configuration.workers is None:
        return default_workers(cores)
    if configuration.workers != ALL_CORES:
        return configuration.workers
    return min(max(1, cores), MAX_WORKERS) if configuration.executor == "local" else 1


def default_time_limit(configuration: Configuration) -> float | None:
    """The time limit: the configured one, or 60 s when there is no limit of any kind."""
    limits = (configuration.timeout, configuration.test_limit, configuration.coverage_timeout)
    if all(limit is None for limit in limits):
        return DEFAULT_TIME_LIMIT
    return configuration.timeout


def make_request(
    paths: Sequence[Path],
    configuration: Configuration,
    surroundings: DecisionInputs,
    *,
    resume: bool = False,
    policy: Policy | None = None,
    reports: tuple[ReportFile, ...] = (),
    baseline: frozenset[str] | None = None,
) -> CampaignRequest:
    """The complete request, by default under the policy of a user. A report that goes to stdout takes the place of that
    of `format`. Raises `ConfigurationError` when `resume` has no
    corpus folder to resume from, or a folder is a file."""
    corpus = _folder("corpusDir", configuration.corpus_directory)
    if resume and corpus is None:
        raise ConfigurationError("--resume needs the folder of the campaign to resume: give --corpus-dir or corpusDir")
    seed = configuration.seed
    return CampaignRequest(
        paths=tuple(paths),
        configuration=configuration,
        seed=surroundings.random_seed if seed is None else seed,
        workers=_workers(configuration, surroundings.cores),
        call_limit=configuration.test_limit,
        time_limit=default_time_limit(configuration),
        format=configuration.format or ("none" if any(each.path is None for each in reports) else "text"),
        color=surroundings.color and surroundings.stdout_is_terminal,
        display=_display(configuration.format, configuration.quiet, surroundings),
        corpus_directory=corpus,
        coverage_directory=_folder("coverageDir", configuration.coverage_directory) or corpus,
        resume=resume,
        policy=policy or Policy(trusts_project=configuration.trust_project),
        initial=read_initialization(Path(configuration.initialize)) if configuration.initialize else (),
        reports=reports,
        baseline=baseline,
    )


def _folder(key: str, text: str | None) -> Path | None:
    if not text:
        return None
    path = Path(text)
    try:
        if path.exists() and not path.is_dir():
            raise ConfigurationError(f"{key}: {shown_path(path)} is not a folder")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"{key}: {shown_path(path)}: no folder can have this name: {reason}") from error
    return path


def _display(output: str | None, quiet: bool, surroundings: DecisionInputs) -> Display:
    """A live view on a terminal, else status lines. `text` asks for lines, as in Echidna; `none` for silence."""
    if quiet or output == "none":
        return "none"
    if surroundings.stderr_is_terminal and output != "text":
        return "live"
    return "status"
