"""`monotreme mcp` and `monotreme serve`: servers for agents, with the target options of `monotreme fuzz`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.command_line.fuzz import Ports, configuration_layers, print_resolved
from orchestrator.command_line.fuzz_options import OPTIONS
from orchestrator.command_line.help_format import SERVER_EXIT_CODES, GroupedCommand
from orchestrator.failures import ExitCode

if TYPE_CHECKING:
    from orchestrator.campaign import ProgramPorts
    from orchestrator.configuration.layers import Layer
    from orchestrator.configuration.request import CampaignRequest

DEFAULT_PORT = 8080
MCP_EXAMPLES = """\
Examples:
  monotreme mcp                                 no campaign yet: the agent begins one with start_campaign
  monotreme mcp . --contract TokenTest --corpus-dir corpus --timeout 3600"""
SERVE_EXAMPLES = """\
Examples:
  monotreme serve                               agents connect to http://127.0.0.1:8080/mcp with a token
  monotreme serve . --mcp-port 9000 --corpus-dir corpus --timeout 86400"""


@click.pass_context
def _mcp(
    context: click.Context, /, paths: tuple[Path, ...], config: Path | None, resume: bool, log_format: str, **flags: Any
) -> int:
    layers, request = _prepared(paths, config, resume, log_format, flags)
    # The protocol's packages take a second or two to load, which help need not pay.
    from orchestrator.agents.serve import run_stdio_server

    run_stdio_server(layers, request, _ports(context))
    return ExitCode.NOTHING_FOUND


@click.pass_context
def _serve(
    context: click.Context, /, paths: tuple[Path, ...], config: Path | None, resume: bool, log_format: str, **flags: Any
) -> int:
    layers, request = _prepared(paths, config, resume, log_format, flags)
    from orchestrator.agents.serve import run_http_server
    from orchestrator.configuration.resolve import resolve

    port = resolve(layers).configuration.mcp_port
    run_http_server(layers, request, DEFAULT_PORT if port is None else port, _ports(context))
    return ExitCode.NOTHING_FOUND


def _ports(context: click.Context) -> ProgramPorts | None:
    return (context.find_object(Ports) or Ports()).campaign_ports


def _prepared(
    paths: tuple[Path, ...], config: Path | None, resume: bool, log_format: str, flags: dict[str, Any]
) -> tuple[Sequence[Layer], CampaignRequest | None]:
    """The layers of the command line, and the campaign to begin with where there are paths. It shows nothing: the
    protocol's client does."""
    from orchestrator.configuration.decide import DecisionInputs, make_request
    from orchestrator.configuration.resolve import resolve
    from orchestrator.logging import configure_logging

    layers = configuration_layers(config, flags)
    resolved = resolve(layers)
    request = None
    if paths:
        request = make_request(paths, resolved.configuration, DecisionInputs.observe(), resume=resume)
        request = replace(request, format="none", display="none", color=False)
    configure_logging("json" if log_format == "json" else "text")
    print_resolved(resolved)
    return layers, request


def _command(name: str, callback: Any, examples: str, short_help: str, text: str) -> GroupedCommand:
    return GroupedCommand(
        name,
        callback=callback,
        examples=examples,
        exit_codes=SERVER_EXIT_CODES,
        short_help=short_help,
        help=text,
        params=[
            click.Argument(
                ["paths"],
                nargs=-1,
                metavar="[PATH]...",
                help="Files, folders, a Foundry project or build-info JSON to fuzz at once.",
                type=click.Path(exists=True, path_type=Path),
            ),
            *OPTIONS,
        ],
    )


mcp = _command(
    "mcp",
    _mcp,
    MCP_EXAMPLES,
    "Serve an agent on stdio.",
    "Serve an agent on stdin and stdout, over the Model Context Protocol: it looks at a campaign and steers it while"
    " it runs. With paths a campaign begins at once, without the agent begins one. When the agent leaves, the campaign"
    " ends and everything that it found is saved.",
)
serve = _command(
    "serve",
    _serve,
    SERVE_EXAMPLES,
    "Serve agents over HTTP.",
    "Serve any number of agents over Streamable HTTP, on this machine only unless mcpHost says otherwise. Tokens are"
    " made on the first run and shown once: one allows everything, one only to look. Ends with Ctrl-C.",
)
