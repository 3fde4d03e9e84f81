"""Prompts: tasks with a campaign that users may give to their agent."""

from __future__ import annotations

from collections.abc import Mapping

from tools.prompt import Prompt, PromptArgument


def _triage(arguments: Mapping[str, str]) -> str:
    return f"""Triage the finding {arguments["id"]} of the running fuzz campaign.

1. Call get_reproducer with this id. Read reason, sequence and trace.
2. Read the resource campaign://coverage/<file> of the contracts in the trace, to see the code that ran.
3. Try variations with execute_sequence (trace: true): leave calls out, change values and senders. Find out which state
   and which check are responsible.
4. Decide: a bug of the contract, a wrong property, or a harness that allows what cannot happen.
5. Answer with the cause in two sentences, the lines responsible, the impact, a proposed fix, and the Foundry test of
   get_reproducer as evidence."""


def _raise_coverage(arguments: Mapping[str, str]) -> str:
    return f"""Raise the coverage of the function {arguments["function"]} in the running fuzz campaign.

1. Call target for its exact signature, function_statistics for its calls and reverts, explain_uncovered for branches of
   its contract that were seen only one way.
2. If it nearly always reverts, read its source (campaign://coverage/<file>) and work out what it requires: state,
   sender, ether, values.
3. Try a sequence that fulfils it with execute_sequence. When it works, inject_transaction it; when only the order is
   known, use inject_template with ? for the values.
4. Add magic numbers from its conditions with add_dictionary_values. prioritize_function it for a while.
5. Watch with wait_for_event (eventType CoverageIncreased) and show_coverage; then clear_priorities and
   remove_templates.
6. Answer with coverage before and after, what was needed, and what stays unreachable and why."""


def _write_property(arguments: Mapping[str, str]) -> str:
    return f"""Write a new property for {arguments["contract"]}, for Echidna-style fuzzing.

1. Call target for its functions and the tests that exist; read its source at campaign://coverage/<file>.
2. List what must hold whatever anybody calls: sums, balances, permissions, monotone counters, state machines. Prefer
   what a bug would break and what no existing test says.
3. Write it as `function echidna_<name>() public returns (bool)` in the test contract; it takes no arguments and changes
   nothing. Keep helper state in the harness (ghost variables) up to date in wrappers of the functions.
4. Check it against the corpus: it must hold after the sequences that inspect_corpus_transactions shows, unless you have
   found a bug.
5. Answer with the Solidity code, why it must hold, and a bug that it would catch."""


def _plan(arguments: Mapping[str, str]) -> str:
    budget = arguments.get("minutes", "30")
    return f"""Plan and run a fuzz campaign on {arguments["path"]} with a budget of {budget} minutes.

1. start_campaign with this path (timeLimit in seconds) unless status says that one is running; then call target.
2. After half a minute: status, show_coverage, function_statistics. Note functions that always revert and contracts
   without coverage.
3. Whenever status says that no coverage was new for a minute: explain_uncovered, then execute_sequence to try a way
   in, then inject_transaction, inject_template or add_dictionary_values.
4. Wait with wait_for_event instead of polling. On PropertyFalsified: get_reproducer once the finding is solved.
5. End with stop_campaign when the budget is used or everything reachable is covered. Answer with findings and causes,
   coverage by contract, and what was not reached and why."""


PROMPTS = (
    Prompt(
        name="triage_finding",
        title="Triage a finding",
        description="Find the cause of a failing test and judge it.",
        arguments=(PromptArgument("id", "Id of the finding, from list_findings."),),
        render=_triage,
    ),
    Prompt(
        name="raise_coverage",
        title="Raise the coverage of a function",
        description="Find out why a function is not covered, and steer the campaign through it.",
        arguments=(PromptArgument("function", "Signature or name of the function."),),
        render=_raise_coverage,
    ),
    Prompt(
        name="write_property",
        title="Write a new property",
        description="Propose and write a property that says what no test says yet.",
        arguments=(PromptArgument("contract", "Name of the contract."),),
        render=_write_property,
    ),
    Prompt(
        name="plan_campaign",
        title="Plan a campaign",
        description="Start, watch and steer a campaign within a budget.",
        arguments=(
            PromptArgument("path", "Solidity file or project to fuzz."),
            PromptArgument("minutes", "Budget in minutes, 30 when left out.", required=False),
        ),
        render=_plan,
    ),
)
