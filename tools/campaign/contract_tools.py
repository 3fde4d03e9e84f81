"""The nine tools of contract 004, ready to be registered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tools.campaign.access import CampaignAccess
from tools.campaign.contract import published_input, published_output
from tools.campaign.controlling import ControllingTools
from tools.campaign.coverage_tools import CoverageTools
from tools.campaign.inputs import (
    DumpLcovInput,
    FindTransactionInput,
    InjectTransactionInput,
    InspectCorpusInput,
    NoInput,
    PrioritizeFunctionInput,
    ReadLogsInput,
    ShowCoverageInput,
)
from tools.campaign.observing import ObservingTools
from tools.roots import AllowedRoots
from tools.tool import Annotations, Answer, Deadline, Family, Scope, Tool, ToolInput


def contract_tools(access: CampaignAccess, roots: AllowedRoots) -> tuple[Tool[Any], ...]:
    """In the order of the contract."""
    looking, covering, controlling = ObservingTools(access), CoverageTools(access, roots), ControllingTools(access)
    return (
        _look(
            "read_logs",
            "Newest events of the workers, newest first: PropertyFalsified, CoverageIncreased, TransactionExecuted"
            " (coalesced), WorkerStarted, WorkerStopped and others, with their payload. Use it to see what a campaign"
            " has done lately; use wait_for_event to be told of the next event.",
            ReadLogsInput,
            looking.read_logs,
        ),
        _look(
            "show_coverage",
            "Line and branch coverage in percent, by contract and overall (weighted by coverable lines). Use it to see"
            " how far a campaign has come; use explain_uncovered for what is missing.",
            ShowCoverageInput,
            covering.show,
        ),
        _act(
            "dump_lcov",
            "Coverage of this moment as LCOV text; with outputPath it is written to that file too, inside the corpus"
            " folder or the allowed roots. Use it for get_file_coverage and other tools that read LCOV.",
            DumpLcovInput,
            covering.dump_lcov,
            idempotent=True,
            scope=Scope.READ,
        ),
        _look(
            "get_corpus_size",
            "Number of transactions in the corpus. Use it to see whether the corpus grows.",
            NoInput,
            looking.get_corpus_size,
        ),
        _look(
            "inspect_corpus_transactions",
            "A page of the corpus: calls with sender, value and gas, by flat index over all sequences. Use it to see"
            " what the fuzzer has learnt to call.",
            InspectCorpusInput,
            looking.inspect_corpus,
        ),
        _look(
            "find_transaction_in_corpus",
            "Transactions of the corpus by function (`transfer(address,uint256)` exactly, or a bare name for all"
            " overloads), sender and least value in wei; at least one of the three, and all that are given must hold."
            " At most 1000 matches are listed, count is the true number.",
            FindTransactionInput,
            looking.find_transaction,
        ),
        _act(
            "inject_transaction",
            "Lets every worker execute a sequence of calls, as transfer(0x20000, 1e18), and keeps it in the corpus."
            " An argument ? or an elided one (0xabcd...) is filled in. Nothing is injected unless every call fits the"
            " target's ABI; value is sent with each call. Use it to bring the fuzzer into a state it does not reach by"
            " itself.",
            InjectTransactionInput,
            controlling.inject,
            idempotent=False,
        ),
        _act(
            "prioritize_function",
            "Adds a function to the prioritized set: nine tenths of all calls then go to this set. Use it to explore a"
            " function with low coverage; clear_priorities takes everything back.",
            PrioritizeFunctionInput,
            controlling.prioritize,
            idempotent=True,
        ),
        _act(
            "clear_priorities",
            "Empties the prioritized set, so that all functions are called evenly again.",
            NoInput,
            controlling.clear,
            idempotent=True,
        ),
    )


def _look(
    name: str, description: str, arguments: type[ToolInput], call: Callable[[Any], Awaitable[Answer]]
) -> Tool[Any]:
    annotations = Annotations(title=_title(name), read_only=True, destructive=False, idempotent=True)
    return _tool(name, description, arguments, call, annotations, Scope.READ)


def _act(
    name: str,
    description: str,
    arguments: type[ToolInput],
    call: Callable[[Any], Awaitable[Answer]],
    *,
    idempotent: bool,
    scope: Scope = Scope.CONTROL,
) -> Tool[Any]:
    annotations = Annotations(title=_title(name), read_only=False, destructive=False, idempotent=idempotent)
    return _tool(name, description, arguments, call, annotations, scope)


def _tool(
    name: str,
    description: str,
    arguments: type[ToolInput],
    call: Callable[[Any], Awaitable[Answer]],
    annotations: Annotations,
    scope: Scope,
) -> Tool[Any]:
    return Tool(
        name=name,
        family=Family.CAMPAIGN,
        description=description,
        arguments=arguments,
        call=call,
        deadline=Deadline.CAMPAIGN,
        annotations=annotations,
        input_schema=published_input(name),
        output_schema=published_output(name),
        scope=scope,
    )


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()
