"""`monotreme completion SHELL`: the script that lets a shell complete commands, flags and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand
from orchestrator.streams import write_result

PROGRAM: Final = "monotreme"
VARIABLE: Final = "_MONOTREME_COMPLETE"
"""The environment variable by which the script asks the program."""
SHELLS: Final = ("bash", "zsh", "fish")
EXAMPLES = """\
Examples:
  monotreme completion bash > ~/.local/share/bash-completion/completions/monotreme
  monotreme completion zsh > ~/.zfunc/_monotreme       with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  monotreme completion fish > ~/.config/fish/completions/monotreme.fish"""


@click.pass_context
def _completion(context: click.Context, /, shell: str) -> int:
    root = context.find_root().command
    kind = get_completion_class(shell)
    if kind is None:  # a version of click without this shell
        raise click.UsageError(f"no completion for {shell}")
    write_result(kind(root, {}, PROGRAM, VARIABLE).source().rstrip())
    return 0


def answer_shell(root: click.Command, environment: Mapping[str, str]) -> int | None:
    """Answer the script of a shell; None when none asks."""
    instruction = environment.get(VARIABLE)
    return shell_complete(root, {}, PROGRAM, VARIABLE, instruction) if instruction else None


def one_of(*values: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Completion of an option whose values are texts to the command line."""

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(value) for value in values if value.startswith(incomplete)]

    return complete


completion = GroupedCommand(
    "completion",
    callback=_completion,
    examples=EXAMPLES,
    exit_codes=PLAIN_EXIT_CODES,
    short_help="Print a completion script for a shell.",
    help="Print the script that lets a shell complete commands, flags and files. New shells have it once it is saved.",
    params=[click.Argument(["shell"], type=click.Choice(SHELLS), metavar="bash|zsh|fish")],
)
