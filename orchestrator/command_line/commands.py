"""The command tree. A command's module is imported only when the command runs or shows its own help."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows its commands by `name: (module:attribute, one line of help)`."""

    def __init__(self, name: str, *, lazy: Mapping[str, tuple[str, str]], **rest: Any) -> None:
        super().__init__(
            name, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, **rest
        )
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order in which they were registered."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, None when there is none of this name."""
        if cmd_name not in self._lazy:
            return None
        module, _, attribute = self._lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click, with a hint for what looks like a target or a misspelt command."""
        name = args[0]
        if name not in self._lazy and not name.startswith("-"):
            ctx.fail(f"No command {name!r}.{self._hint(ctx, name)}")
        return super().resolve_command(ctx, args)

    def _hint(self, ctx: click.Context, name: str) -> str:
        if name.endswith(".sol") or "/" in name or name == ".":
            return f" To fuzz it: {ctx.command_path} fuzz {name}"
        near = get_close_matches(name, self._lazy, n=1)
        return f" Did you mean {near[0]!r}?" if near else f" Commands: {', '.join(self._lazy)}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._lazy.items()])


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        from orchestrator.streams import write_result

        write_result(f"monotreme {version('monotreme')}")
        ctx.exit()


CONFIG = LazyGroup(
    "config",
    help="Look at configurations.",
    lazy={"show": ("orchestrator.command_line.config_show:show", "Print every value and where it comes from.")},
)

ROOT = LazyGroup(
    "monotreme",
    help="Supervised fuzz campaigns for smart contracts, with Echidna's tests, flags and configuration.",
    epilog="A first campaign: monotreme fuzz Token.sol",
    lazy={
        "fuzz": ("orchestrator.command_line.fuzz:fuzz", "Compile, deploy and fuzz a Solidity target."),
        "mcp": ("orchestrator.command_line.agents:mcp", "Serve an agent on stdio, over the Model Context Protocol."),
        "serve": ("orchestrator.command_line.agents:serve", "Serve agents over HTTP, over the Model Context Protocol."),
        "replay-commands": (
            "orchestrator.command_line.replay_commands:replay_commands",
            "Apply the recorded commands of a campaign to a fresh one.",
        ),
        "config": ("orchestrator.command_line.commands:CONFIG", "Look at configurations."),
        "index": ("orchestrator.command_line.index:index", "Index a folder's code for agents to search."),
        "mutate": (
            "orchestrator.command_line.mutate:mutate",
            "Ask which faults in the code under test its tests notice.",
        ),
        "completion": (
            "orchestrator.command_line.completion:completion",
            "Print a completion script for a shell.",
        ),
        "evm": ("orchestrator.command_line.evm:EVM", "Run state tests or bytecode, without a campaign."),
    },
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Print the version and exit.",
        )
    ],
)
