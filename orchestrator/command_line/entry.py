"""The boundary of the program: arguments in, an exit code out, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click

from orchestrator.command_line.commands import ROOT
from orchestrator.command_line.completion import answer_shell
from orchestrator.failures import ExitCode, failure_of
from orchestrator.streams import abandon_stdout, flush_stdout, occupy_closed_descriptors, write_stderr

if TYPE_CHECKING:
    from orchestrator.command_line.fuzz import Ports


def run(arguments: Sequence[str], ports: Ports | None = None) -> int:
    """Run one command line and return its exit code. `ports` replaces what `fuzz` reaches outside itself.

    Errors go to stderr as one or two lines; with MONOTREME_DEBUG=1 the traceback precedes them.
    """
    occupy_closed_descriptors()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character shows its escape.
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(list(arguments), ports)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        write_stderr(error.format_message())
        return ExitCode.WRONG_INPUT
    except click.ClickException as error:
        write_stderr(_usage_message(error))
        return ExitCode.WRONG_INPUT
    except BrokenPipeError:
        return _stdout_is_gone()
    # The one place where everything ends that no part of the program expected.
    except BaseException as error:
        return _fail(error)


def _run(arguments: list[str], ports: Ports | None) -> int:
    if (answered := answer_shell(ROOT, os.environ)) is not None:
        return answered
    removed: list[str] = []
    if arguments[:1] in (["fuzz"], ["mcp"], ["serve"]):
        arguments, removed = without_runtime_options(arguments)
    if removed:
        write_stderr(f"note: runtime options of GHC have no effect: {' '.join(removed)}")
    if not arguments:
        arguments = ["--help"]
    # Not `ROOT.main`, which prints and exits on interrupts and closed pipes in its own way.
    with ROOT.make_context("monotreme", arguments, obj=ports) as context:
        result = ROOT.invoke(context)
    return result if isinstance(result, int) else ExitCode.NOTHING_FOUND


def _usage_message(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "monotreme"
    return f"error: {error.format_message()}\nHelp: {command} --help"


def _fail(error: BaseException) -> int:
    if isinstance(error, SystemExit | GeneratorExit):
        raise error
    if os.environ.get("MONOTREME_DEBUG") == "1":
        import traceback

        write_stderr("".join(traceback.format_exception(error)).rstrip())
    flush_stdout()
    failure = failure_of(error)
    write_stderr(failure.text)
    return failure.exit_code


def _stdout_is_gone() -> int:
    """The reader closed the pipe: end quietly, also when Python flushes stdout at exit."""
    abandon_stdout()
    return ExitCode.INFRASTRUCTURE


def without_runtime_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments without `+RTS ... -RTS` (or to the end), GHC's options in the scripts of Echidna's users; and what
    was taken out. As with GHC, nothing is taken out after `--RTS` or `--`."""
    kept: list[str] = []
    removed: list[str] = []
    inside = False
    for index, argument in enumerate(arguments):
        if not inside and argument in ("--RTS", "--"):
            kept += arguments[index + (argument == "--RTS") :]
            break
        if argument in ("+RTS", "-RTS"):
            inside = argument == "+RTS"
            removed.append(argument)
        else:
            (removed if inside else kept).append(argument)
    return kept, removed
