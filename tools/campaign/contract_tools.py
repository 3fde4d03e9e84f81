"""The nine tools of the campaign contract, ready to be registered."""

from __future__ import annotations

from dataclasses import replace
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
from tools.campaign.publishing import acting, looking
from tools.roots import AllowedRoots
from tools.tool import Scope, Tool

READ_LOGS = """\
Newest events of the workers, newest first, with their payload: PropertyFalsified, CoverageIncreased, \
TransactionExecuted (coalesced), WorkerStarted, WorkerStopped; totalCount are held. wait_for_event tells of the next \
one, of any type."""
SHOW_COVERAGE = """\
Line and branch coverage in percent, by contract and overall (weighted by coverable lines). Use it to see how far a \
campaign has come; explain_uncovered tells what is missing."""
DUMP_LCOV = """\
Coverage of this moment as LCOV text, with outputPath also written there, inside the corpus folder or the allowed \
roots. Use it for get_file_coverage and other tools that read LCOV."""
GET_CORPUS_SIZE = "Number of transactions in the corpus. Use it to see whether the corpus grows."
INSPECT_CORPUS = """\
A page of the corpus: calls with sender, value and gas, by flat index over all sequences. Use it to see what the \
fuzzer has learnt to call."""
FIND_TRANSACTION = """\
Transactions of the corpus by function (`transfer(address,uint256)` exactly, or a bare name for all overloads), \
sender and least value in wei; at least one, and all that are given must hold. Lists at most 200 matches, count is the \
true number; search_corpus pages through all."""
INJECT_TRANSACTION = """\
Lets every worker execute calls, as transfer(0x20000, 1e18), and keeps them in the corpus. An argument ? or an elided \
one (0xabcd...) is filled in, in several ways. Nothing is injected unless every call fits the ABI; value is sent with \
each call. Use it to bring the fuzzer into a state it does not reach by itself."""
PRIORITIZE_FUNCTION = """\
Adds a function to the prioritized set: nine tenths of all calls then go to this set. Use it to explore a function \
with low coverage; clear_priorities takes everything back."""
CLEAR_PRIORITIES = "Empties the prioritized set, so that all functions are called evenly again."


def contract_tools(access: CampaignAccess, roots: AllowedRoots) -> tuple[Tool[Any], ...]:
    """In the order of the contract, with its schemas."""
    return tuple(
        replace(tool, input_schema=published_input(tool.name), output_schema=published_output(tool.name))
        for tool in (*_observing(access, roots), *_controlling(access))
    )


def _observing(access: CampaignAccess, roots: AllowedRoots) -> tuple[Tool[Any], ...]:
    tools, coverage = ObservingTools(access), CoverageTools(access, roots)
    return (
        looking("read_logs", READ_LOGS, (ReadLogsInput, None), tools.read_logs),
        looking("show_coverage", SHOW_COVERAGE, (ShowCoverageInput, None), coverage.show),
        acting("dump_lcov", DUMP_LCOV, (DumpLcovInput, None), coverage.dump_lcov, scope=Scope.READ),
        looking("get_corpus_size", GET_CORPUS_SIZE, (NoInput, None), tools.get_corpus_size),
        looking("inspect_corpus_transactions", INSPECT_CORPUS, (InspectCorpusInput, None), tools.inspect_corpus),
        looking("find_transaction_in_corpus", FIND_TRANSACTION, (FindTransactionInput, None), tools.find_transaction),
    )


def _controlling(access: CampaignAccess) -> tuple[Tool[Any], ...]:
    tools = ControllingTools(access)
    types = (InjectTransactionInput, None)
    return (
        acting("inject_transaction", INJECT_TRANSACTION, types, tools.inject, idempotent=False),
        acting("prioritize_function", PRIORITIZE_FUNCTION, (PrioritizeFunctionInput, None), tools.prioritize),
        acting("clear_priorities", CLEAR_PRIORITIES, (NoInput, None), tools.clear),
    )
