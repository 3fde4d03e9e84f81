"""Request of the command line to `orchestrator.campaign.run_campaign`, with every choice made and validated."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from orchestrator.configuration.crytic_arguments import compiler_arguments
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.planned_contracts import target_name
from orchestrator.configuration.settings_adapter import campaign_settings
from orchestrator.configuration.types import ALL_CORES
from orchestrator.report.requested import ReportFile
from simulator.abi.call_parser import encode_constructor_arguments
from simulator.abi.contract import ContractAbi
from simulator.compile.options import CompileOptions
from simulator.corpus.store import CorpusFormat
from simulator.initialization import InitialStep
from simulator.policy import USER, Policy
from simulator.project import Contract
from simulator.settings import CampaignSettings

Display = Literal["live", "status", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignRequest:
    """One campaign to run.

    `paths` exist. `seed` is 0..2**63-1 and `workers` 1..255, both decided already. The campaign ends at `call_limit`
    calls or `time_limit` seconds, whichever comes first, or when nothing new is covered for as long as the
    configuration says; at least one of the three is set. `format` is that of the report on stdout, `color` whether its
    text may carry terminal colours; `display` is what is shown on stderr meanwhile (`live` only on a terminal). The
    corpus in `corpus_directory` is replayed first; `resume` also takes up the campaign that was interrupted there, and
    is set only together with that directory. `configuration` holds all keys, including those that have no field here.
    `policy` says what all of this may ask of the machine. `initial` is executed before anything is deployed. `reports`
    are written at the end besides; findings of the `baseline`, by fingerprint, fail no run. One that `stays_open`
    becomes idle where others end, and is stopped by its users; one that begins `paused` is resumed by them.
    """

    paths: tuple[Path, ...]
    configuration: Configuration
    seed: int
    workers: int
    call_limit: int | None
    time_limit: float | None
    format: str = "text"
    color: bool = False
    display: Display = "none"
    corpus_directory: Path | None = None
    coverage_directory: Path | None = None
    resume: bool = False
    policy: Policy = USER
    initial: tuple[InitialStep, ...] = ()
    reports: tuple[ReportFile, ...] = ()
    baseline: frozenset[str] | None = None
    stays_open: bool = False
    paused: bool = False

    @property
    def contract(self) -> str | None:
        """The contract asked for, as `Name` or `path:Name`; None leaves the choice to the compiler's rules."""
        return target_name(self.configuration)

    @property
    def takes_all_cores(self) -> bool:
        """One worker for each core of the executor, however many there are later."""
        return self.configuration.workers == ALL_CORES

    @property
    def corpus_format(self) -> CorpusFormat:
        """The fuzzer whose corpus files are written: the configured one, else that of the test mode."""
        keys = self.configuration
        return keys.corpus_format or ("medusa" if keys.test_mode == "medusa" else "echidna")

    def settings(self, contract_full_name: str) -> CampaignSettings:
        """Input of the workers to fuzz this contract (`path:Name`)."""
        settings = campaign_settings(self.configuration, contract_full_name, self.policy)
        return msgspec.structs.replace(settings, initial=self.initial)

    def settings_for(self, contract: Contract) -> CampaignSettings:
        """The same, with the arguments of the contract's constructor. Raises `AbiError` for those that do not fit."""
        settings = self.settings(contract.full_name)
        texts = self.configuration.constructor_values
        if not texts:
            return settings
        encoded = encode_constructor_arguments(ContractAbi.from_json(contract.abi), texts, contract.full_name)
        return msgspec.structs.replace(settings, constructor_arguments=encoded)

    def compile_options(self) -> CompileOptions:
        """Options of the compiler."""
        return compile_options(self.configuration, self.policy)


class CampaignResult(Protocol):
    """Outcome of a campaign for the command: an exit code (0 nothing found, 1 findings, 3 infrastructure, 130
    interrupted without findings) and the report in the requested format, complete, for stdout (empty for `none`)."""

    @property
    def exit_code(self) -> int: ...

    @property
    def output(self) -> str: ...

    @property
    def error(self) -> Exception | None: ...


def compile_options(configuration: Configuration, policy: Policy = USER) -> CompileOptions:
    """The options for `simulator.compile`; relative paths start from the working directory."""
    return CompileOptions(
        solc=Path(configuration.solc_path) if configuration.solc_path else None,
        solc_version=configuration.solc_version,
        solc_args=(*shlex.split(configuration.solc_args), *compiler_arguments(configuration.crytic_args)),
        policy=policy,
        may_fetch_vyper=configuration.fetch_vyper,
        contracts=_needed_contracts(configuration),
        allow_paths=tuple(Path(each) for each in configuration.allow_paths),
    )


def _needed_contracts(configuration: Configuration) -> tuple[str, ...]:
    """The contracts whose sources are compiled, the fuzzed one first; empty where it is still to be chosen."""
    keys = configuration
    fuzzed = keys.contracts + keys.target_contracts
    if not fuzzed:
        return ()
    return tuple(dict.fromkeys((*fuzzed, *keys.predeployed_contracts, *(name for _, name in keys.deploy_contracts))))
