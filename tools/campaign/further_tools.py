"""What agents need beyond contract 004, ready to be registered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from tools.campaign.access import CampaignAccess
from tools.campaign.finding_tools import (
    FindingsResult,
    FindingTools,
    GetReproducerInput,
    ListFindingsInput,
    ReproducerResult,
)
from tools.campaign.frontier_tools import ExplainUncoveredInput, FrontierTools, UncoveredResult
from tools.campaign.function_tools import (
    AddDictionaryInput,
    DictionaryResult,
    ExcludeFunctionInput,
    FocusResult,
    FunctionsResult,
    FunctionStatisticsInput,
    FunctionTools,
    ResetResult,
    SetWeightsInput,
)
from tools.campaign.inputs import NoInput
from tools.campaign.life_tools import (
    ChangedResult,
    LifeTools,
    LimitsResult,
    ReloadedResult,
    SetLimitsInput,
    Start,
    StartCampaignInput,
    StartedResult,
)
from tools.campaign.results import StatusResult, TargetResult
from tools.campaign.sequence_tools import (
    ExecuteSequenceInput,
    ExecutionResult,
    InjectTemplateInput,
    RemovedResult,
    RemoveTemplatesInput,
    SequenceTools,
    TemplateResult,
)
from tools.campaign.status_tools import StatusTools
from tools.campaign.waiting_tools import EventsResult, WaitForEventInput, WaitingTools
from tools.schemas import output_schema_of
from tools.tool import Annotations, Answer, Deadline, Family, Scope, Tool, ToolInput

Call = Callable[[Any], Awaitable[Answer]]


def further_tools(access: CampaignAccess, start: Start | None) -> tuple[Tool[Any], ...]:
    """`start` begins campaigns, None where the server belongs to one."""
    return (*_looking(access), *_steering(access), *_living(access, start))


def _looking(access: CampaignAccess) -> tuple[Tool[Any], ...]:
    status, findings, functions = StatusTools(access), FindingTools(access), FunctionTools(access)
    return (
        _look(
            "status",
            "Phase, calls per second, seconds since new coverage, tests, coverage, corpus, workers, and what has"
            " changed since your last call. Use it to decide whether to go on, steer or stop.",
            (NoInput, StatusResult),
            status.status,
        ),
        _look(
            "target",
            "What is fuzzed: contracts with addresses, their functions (signature, payable, prioritized, excluded),"
            " tests, senders and seed. Use it first, to know what can be called.",
            (NoInput, TargetResult),
            status.target,
        ),
        _look(
            "list_findings",
            "Failing tests with stable ids, reason and length of the shortest sequence. Use it to see what is broken;"
            " get_reproducer shows how.",
            (ListFindingsInput, FindingsResult),
            findings.list_findings,
        ),
        _look(
            "get_reproducer",
            "The shortest sequence that breaks a test, with trace and a Foundry test that can be run as it is. Use it"
            " to understand or fix a finding.",
            (GetReproducerInput, ReproducerResult),
            findings.get_reproducer,
        ),
        _look(
            "function_statistics",
            "Calls, reverts, last new coverage and weight of each function. Use it to find functions that always revert"
            " or get few calls.",
            (FunctionStatisticsInput, FunctionsResult),
            functions.statistics,
        ),
        _look(
            "explain_uncovered",
            "Half-covered branches with source line, the outcome that was never seen, and the corpus entry that comes"
            " nearest. Use it to find out what to inject or to prioritize.",
            (ExplainUncoveredInput, UncoveredResult),
            FrontierTools(access).explain,
        ),
        _look(
            "wait_for_event",
            "Waits up to 50 s for the next events and returns them with a cursor to go on from. Use it instead of"
            " polling, for example with eventType PropertyFalsified.",
            (WaitForEventInput, EventsResult),
            WaitingTools(access).wait,
            deadline=Deadline.WAIT,
        ),
    )


def _steering(access: CampaignAccess) -> tuple[Tool[Any], ...]:
    sequences, functions = SequenceTools(access), FunctionTools(access)
    return (
        _act(
            "execute_sequence",
            "Executes calls once from the deployed state, on one worker, and returns results, decoded reverts and"
            " (with trace) the trace. Corpus, coverage and tests stay as they are. Use it to try an idea before"
            " injecting it.",
            (ExecuteSequenceInput, ExecutionResult),
            sequences.execute,
            deadline=Deadline.ANALYSIS,
        ),
        _act(
            "inject_template",
            "Builds a share of all sequences around these calls; arguments written as ? or 0xabcd... are filled anew"
            " each time. Use it when the order of calls is known and the values are not.",
            (InjectTemplateInput, TemplateResult),
            sequences.inject_template,
            idempotent=False,
        ),
        _act(
            "remove_templates",
            "Stops using templates, by id or all of them.",
            (RemoveTemplatesInput, RemovedResult),
            sequences.remove_templates,
        ),
        _act(
            "exclude_function",
            "Lets the fuzzer not call a function any more. Use it for functions that end every sequence, such as a"
            " pause; reset_functions or prioritize_function takes it back.",
            (ExcludeFunctionInput, FocusResult),
            functions.exclude,
        ),
        _act(
            "set_function_weights",
            "Multiplies the share of calls that functions get, by 0.001 to 1000. Use it for finer steering than"
            " prioritize_function.",
            (SetWeightsInput, FocusResult),
            functions.set_weights,
        ),
        _act(
            "reset_functions",
            "Takes back all priorities, exclusions and weights, so that every function is called evenly again.",
            (NoInput, ResetResult),
            functions.reset,
        ),
        _act(
            "add_dictionary_values",
            "Gives the fuzzer values to use as arguments, such as constants from the sources or a magic number. Use it"
            " when a branch compares with a value that is hard to guess.",
            (AddDictionaryInput, DictionaryResult),
            functions.add_dictionary,
        ),
    )


def _living(access: CampaignAccess, start: Start | None) -> tuple[Tool[Any], ...]:
    life = LifeTools(access, start)
    return (
        _act(
            "start_campaign",
            "Begins a campaign on Solidity sources, where none is running. Answers at once; compiling goes on, and"
            " status tells when it fuzzes.",
            (StartCampaignInput, StartedResult),
            life.start,
            idempotent=False,
        ),
        _act(
            "pause_campaign",
            "Lets the workers rest until resume_campaign. Use it to think, or to free the machine.",
            (NoInput, ChangedResult),
            life.pause,
        ),
        _act("resume_campaign", "Lets the workers go on after pause_campaign.", (NoInput, ChangedResult), life.resume),
        _act(
            "stop_campaign",
            "Ends the campaign: what was found is kept and reported, nothing more is shrunk. It cannot be resumed.",
            (NoInput, ChangedResult),
            life.stop,
            destructive=True,
        ),
        _act(
            "set_limits",
            "Changes limits of the running campaign: calls, seconds, seconds without new coverage, shrinking. What is"
            " left out stays; null takes a limit away. Use it to give a promising campaign more time.",
            (SetLimitsInput, LimitsResult),
            life.set_limits,
        ),
        _act(
            "reload_corpus",
            "Reads the corpus folder again and replays what is new in it. Use it after adding corpus files.",
            (NoInput, ReloadedResult),
            life.reload_corpus,
            deadline=Deadline.ANALYSIS,
        ),
    )


def _look(
    name: str,
    description: str,
    types: tuple[type[ToolInput], type[msgspec.Struct]],
    call: Call,
    deadline: Deadline = Deadline.CAMPAIGN,
) -> Tool[Any]:
    annotations = Annotations(title=_title(name), read_only=True, destructive=False, idempotent=True)
    return _tool(name, description, types, call, annotations, Scope.READ, deadline)


def _act(
    name: str,
    description: str,
    types: tuple[type[ToolInput], type[msgspec.Struct]],
    call: Call,
    *,
    destructive: bool = False,
    idempotent: bool = True,
    deadline: Deadline = Deadline.CAMPAIGN,
) -> Tool[Any]:
    annotations = Annotations(title=_title(name), read_only=False, destructive=destructive, idempotent=idempotent)
    return _tool(name, description, types, call, annotations, Scope.CONTROL, deadline)


def _tool(
    name: str,
    description: str,
    types: tuple[type[ToolInput], type[msgspec.Struct]],
    call: Call,
    annotations: Annotations,
    scope: Scope,
    deadline: Deadline,
) -> Tool[Any]:
    return Tool(
        name=name,
        family=Family.CAMPAIGN,
        description=description,
        arguments=types[0],
        call=call,
        deadline=deadline,
        annotations=annotations,
        output_schema=output_schema_of(types[1]),
        scope=scope,
    )


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()
