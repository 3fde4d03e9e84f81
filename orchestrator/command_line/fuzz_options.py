"""The flags of `monotreme fuzz`: Echidna's, and a few more. Flags with a key only carry text to the configuration,
which validates it like any other layer, so that a value means the same wherever it is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.command_line.completion import one_of
from orchestrator.command_line.help_format import GroupedOption
from orchestrator.report.formats import REPORT_FORMATS, listed_file_formats
from simulator.modes.table import listed_names


def _value(
    flag: str, key: str, metavar: str, meaning: str, default: str = "", *, group: str, **rest: Any
) -> click.Option:
    return GroupedOption(flag, group=group, key=key, metavar=metavar, help=meaning, shown_default=default, **rest)


def _switch(flag: str, key: str, meaning: str, *, group: str) -> click.Option:
    return GroupedOption(flag, group=group, key=key, is_flag=True, default=None, help=meaning)


def _without_color(_context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        # The variable is what every library here reads.
        os.environ["NO_COLOR"] = "1"


_TARGET = "Target"
_BUDGET = "Budget and workers"
_TESTS = "Tests"
_CHAIN = "Chain"
_COMPILE = "Compilation"
_OUTPUT = "Corpus and reports"
_AGENTS = "Dashboard and agents"
_UNUSED = "Accepted for Echidna's sake, without effect"
# Echidna writes True and False.
_BOOL: dict[str, Any] = {
    "type": click.Choice(["true", "false"], case_sensitive=False),
    "callback": lambda _context, _parameter, value: None if value is None else value == "true",
}

OPTIONS: tuple[click.Option, ...] = (
    _value(
        "--contract",
        "contract",
        "NAME",
        "Contract to fuzz, NAME or path:NAME. Several, or a name with * or ?, are fuzzed in turn.",
        "one with tests",
        group=_TARGET,
        multiple=True,
    ),
    GroupedOption(
        "--config",
        group=_TARGET,
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Configuration: Echidna's YAML or a medusa.json; flags override it.",
    ),
    _value(
        "--constructor-args",
        "constructorValues",
        "VALUE",
        "Argument of the contract's constructor, such as 5, 0x1, true, '\"text\"' or '[1, 2]'; one flag for each.",
        group=_TARGET,
        multiple=True,
    ),
    _switch("--all-contracts", "allContracts", "Call every deployed contract, not only the target.", group=_TARGET),
    _value("--test-limit", "testLimit", "N", "Calls to execute, over all workers.", group=_BUDGET),
    _value("--timeout", "timeout", "S", "Seconds to fuzz.", "60 when no --test-limit either", group=_BUDGET),
    _value("--seq-len", "seqLen", "N", "Calls in a sequence.", "100", group=_BUDGET),
    _value("--shrink-limit", "shrinkLimit", "N", "Tries to shrink a failing sequence.", "5000", group=_BUDGET),
    _value("--workers", "workers", "N", "Worker processes, or max.", "one for each core, at most 4", group=_BUDGET),
    _value("--executor", "executor", "NAME", "Where workers run: local, or ray for a cluster.", "local", group=_BUDGET),
    _value("--ray-address", "rayAddress", "HOST:PORT", "Ray cluster.", "RAY_ADDRESS, or this machine's", group=_BUDGET),
    _value("--seed", "seed", "N", "Seed of all random choices.", "random, always reported", group=_BUDGET),
    _switch("--stop-on-fail", "stopOnFail", "End once a test has failed and is shrunk.", group=_BUDGET),
    _value(
        "--test-mode",
        "testMode",
        "MODE",
        f"{listed_names()}.",
        "by the contract",
        group=_TESTS,
    ),
    _value(
        "--sender",
        "sender",
        "A",
        "Account that sends calls; may be repeated.",
        "0x10000, 0x20000, 0x30000",
        group=_CHAIN,
        multiple=True,
    ),
    _value(
        "--clamp",
        "clamps",
        "'FUNCTION ARG=MIN..MAX ARG=V,V @SENDER'",
        "Bind arguments of a function to a range or values, and the function to senders; may be repeated.",
        group=_CHAIN,
        multiple=True,
    ),
    _value("--deployer", "deployer", "A", "Account that deploys.", "0x30000", group=_CHAIN),
    _value("--contract-addr", "contractAddr", "A", "Address of the target.", "0x00a3…ea72", group=_CHAIN),
    _value("--rpc-url", "rpcUrl", "URL", "Fork the chain of this JSON-RPC node.", group=_CHAIN),
    _value("--rpc-block", "rpcBlock", "N", "Block to fork.", "the newest", group=_CHAIN),
    _value(
        "--solc-args", "solcArgs", "ARGS", "Compiler arguments in one text: remappings, --via-ir, …", group=_COMPILE
    ),
    _value("--solc-version", "solcVersion", "V", "Compiler version.", "by the pragmas", group=_COMPILE),
    _value("--solc", "solcPath", "FILE", "Compiler to run.", "found or fetched", group=_COMPILE),
    _value(
        "--allow-paths",
        "allowPaths",
        "DIR",
        "Folder outside of the project that imports may come from; several may be given.",
        group=_COMPILE,
        multiple=True,
    ),
    _value(
        "--crytic-args",
        "cryticArgs",
        "ARGS",
        "Arguments for crytic-compile: remappings and libraries are honoured, others noted.",
        group=_COMPILE,
    ),
    _value(
        "--exclude",
        "exclude",
        "GLOB",
        "Sources to leave out of the dictionary and of coverage reports; several may be given.",
        "libraries",
        group=_COMPILE,
        multiple=True,
    ),
    _switch(
        "--trust-project",
        "trustProject",
        "Let the project's files name programs and folders outside of it, and forge build.",
        group=_COMPILE,
    ),
    _value(
        "--corpus-format",
        "corpusFormat",
        "echidna|medusa|forge",
        "Whose corpus files are written.",
        "echidna; medusa in its mode",
        group=_OUTPUT,
        shell_complete=one_of("echidna", "medusa", "forge"),
    ),
    _switch("--fetch-vyper", "fetchVyper", "Fetch a missing release of Vyper from PyPI.", group=_COMPILE),
    _value("--corpus-dir", "corpusDir", "DIR", "Folder to replay the corpus from and save it to.", group=_OUTPUT),
    _value(
        "--seed-tests",
        "seedTests",
        "build|project|none",
        "Begin with calls of the project's tests: those of the build, all of the project, or none.",
        "build",
        group=_OUTPUT,
        shell_complete=one_of("build", "project", "none"),
    ),
    _value(
        "--seed-sequences",
        "seedSequences",
        "FILE",
        "Begin with these sequences: transactions in JSON or a corpus file; several may be given.",
        group=_OUTPUT,
        multiple=True,
    ),
    GroupedOption("--resume", group=_OUTPUT, is_flag=True, help="Continue with the campaign saved in --corpus-dir."),
    _value("--coverage-dir", "coverageDir", "DIR", "Folder of coverage reports.", "the corpus folder", group=_OUTPUT),
    _value(
        "--format",
        "format",
        "|".join(REPORT_FORMATS),
        "Report on stdout; text also replaces the live view by lines.",
        "text",
        group=_OUTPUT,
        shell_complete=one_of("text", "json", "none"),
    ),
    _value(
        "--require",
        "require",
        "sound",
        "Exit with 1 unless the campaign's health is sound, also when every test passes.",
        group=_OUTPUT,
        shell_complete=one_of("sound"),
    ),
    _value(
        "--verify-exports",
        "verifyExports",
        "true|false",
        "Execute the Foundry tests of findings, and say in each what came of it.",
        "true",
        group=_OUTPUT,
        **_BOOL,
    ),
    _switch("--quiet", "quiet", "No live view and no status lines.", group=_OUTPUT),
    GroupedOption(
        "--log-format",
        group=_OUTPUT,
        type=click.Choice(["text", "json"]),
        default="text",
        help="Log lines on stderr.",
        shown_default="text",
    ),
    _switch("--dashboard", "dashboard", "Serve a page to watch and steer the campaign.", group=_AGENTS),
    _value(
        "--dashboard-port",
        "dashboardPort",
        "PORT",
        "Serve that page at http://127.0.0.1:PORT; 0: any free port.",
        "8010 with --dashboard",
        group=_AGENTS,
    ),
    _switch(
        "--autopilot",
        "autopilot",
        "Let a scripted agent read the sources, plan sequences that break tests, and inject them.",
        group=_AGENTS,
    ),
    _value("--mcp-port", "mcpPort", "PORT", "Serve agents at http://127.0.0.1:PORT/mcp.", group=_AGENTS),
    _value("--mcp-auth", "mcpAuth", "token|none", "Whether agents over HTTP need a token.", "token", group=_AGENTS),
    _value(
        "--mcp-tools",
        "mcpTools",
        "lean|full|GROUP,...",
        "Tools to list to agents: some 15, all, or those of groups (campaign, coverage, builds, analysis, codebase).",
        "lean",
        group=_AGENTS,
    ),
    _value(
        "--max-campaigns",
        "maxCampaigns",
        "N",
        "Campaigns that may run at a time under mcp and serve; they share the workers.",
        "4",
        group=_AGENTS,
    ),
    _value(
        "--mcp-root",
        "mcpRoots",
        "DIR",
        "Folder that agents may touch; several may be given.",
        "the folder of the server",
        group=_AGENTS,
        multiple=True,
    ),
    _value(
        "--mcp-allow-rpc",
        "mcpAllowRpc",
        "URL",
        "Node that agents may fork a chain from; several may be given.",
        "none but --rpc-url",
        group=_AGENTS,
        multiple=True,
    ),
    _switch("--disable-slither", "disableSlither", "Slither is not used.", group=_UNUSED),
    _value("--server", "server", "PORT", "There is no event server.", group=_UNUSED),
    _switch("--disable-onchain-sources", "disableOnchainSources", "No sources are fetched.", group=_UNUSED),
    _value("--sym-exec", "symExec", "BOOL", "There is no symbolic worker.", group=_UNUSED, **_BOOL),
    _value("--sym-exec-target", "symExecTargets", "NAME", "There is no symbolic worker.", group=_UNUSED, multiple=True),
    _value("--sym-exec-timeout", "symExecTimeout", "S", "There is no symbolic worker.", group=_UNUSED),
    _value("--sym-exec-n-solvers", "symExecNSolvers", "N", "There is no symbolic worker.", group=_UNUSED),
)

REPORT_OPTIONS: tuple[click.Option, ...] = (
    GroupedOption(
        "--no-color",
        group=_OUTPUT,
        is_flag=True,
        expose_value=False,
        callback=_without_color,
        help="No colours, as with the environment variable NO_COLOR.",
    ),
    GroupedOption(
        "--report",
        group=_OUTPUT,
        metavar="FORMAT=FILE",
        multiple=True,
        help=f"Write a report too: {listed_file_formats()}; several may be given. FILE - is stdout.",
    ),
    GroupedOption(
        "--baseline",
        group=_OUTPUT,
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Report of an earlier campaign (JSON, or its folder): findings that it has do not fail this one.",
    ),
)
"""Flags of commands that end with a report of their own."""


def flag_values(parameters: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """Key to (flag, value) for `orchestrator.configuration.layers.flag_layer`, from a command's parameters."""
    values: dict[str, tuple[str, Any]] = {}
    for option in OPTIONS:
        if isinstance(option, GroupedOption) and option.key is not None and option.name is not None:
            values[option.key] = (option.opts[0], parameters.get(option.name))
    return values
