"""Arguments of build tools, and their checks before anything runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from actors.processes.folders import confined_folder, leads_outside
from actors.runtime.errors import FolderRefused
from tools.builds.plugin import Plugin
from tools.errors import ErrorCode, ToolError
from tools.tool import ToolInput

MAX_WAIT = 55
DEFAULT_WAIT = 45
_SCHEME = re.compile(r"^(?:file|link|portal|workspace):(?://)?")
_SLASH_OPTION = re.compile(r"/[A-Za-z]+(:.*)?", re.DOTALL)
_SHORT_OPTION = re.compile(r"-[A-Za-z].")


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain a NUL character")
    return text


Argument = Annotated[str, Field(max_length=8_192), AfterValidator(_without_nul)]
WaitSeconds = Annotated[
    float,
    Field(
        alias="waitSeconds",
        ge=0,
        le=MAX_WAIT,
        description="Wait this long for the end; then answer with status running.",
    ),
]
Compact = Annotated[
    bool | None,
    Field(description="Diagnostics of message, code, file, line and column only."),
]
RunId = Annotated[str, Field(alias="runId", max_length=200, description="From a build tool or run_list.")]


class BuildInput(ToolInput):
    """Arguments of every plugin's tool."""

    args: Annotated[
        tuple[Argument, ...],
        Field(default=(), max_length=256, strict=False, description="Arguments for the command, passed on unchanged."),
    ]
    cwd: Annotated[str, Field(max_length=4_096, description="Working directory; default: the server's.")] = "."
    wait_seconds: WaitSeconds = DEFAULT_WAIT
    timeout_seconds: Annotated[
        float | None,
        Field(
            alias="timeoutSeconds",
            gt=0,
            le=86_400,
            description="Stop the command after this time; the server's limit holds too.",
        ),
    ] = None
    compact: Compact = None


class InstallInput(BuildInput):
    """Arguments of tools that change the workspace."""

    confirmed: Annotated[bool, Field(description="Must be true: the command changes the working directory.")] = False


def working_folder(cwd: str, roots: Sequence[Path], here: Path) -> Path:
    """The resolved folder. Raises `ToolError` with the reason INVALID_CWD."""
    try:
        return confined_folder(cwd, roots, here)
    except FolderRefused as error:
        raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="INVALID_CWD") from error


def check_arguments(plugin: Plugin, args: tuple[str, ...], roots: Sequence[Path], folder: Path) -> None:
    """Raises `ToolError` with the reason BLOCKED_ARGUMENT for options that the plugin refuses, and for paths that lead
    out of the allowed roots."""
    for arg in args:
        for refusal in plugin.refused:
            if refusal.covers(arg):
                raise _blocked(f"{arg[:80]} is not accepted: {refusal.reason}")
        if _is_path_outside(plugin, arg, roots, folder):
            raise _blocked(f"{arg[:200]} lies outside the allowed roots")


def _is_path_outside(plugin: Plugin, arg: str, roots: Sequence[Path], folder: Path) -> bool:
    if plugin.slash_options and _SLASH_OPTION.fullmatch(arg):
        return False
    return any(_leads_out(_SCHEME.sub("", value), roots, folder) for value in _values(arg))


def _values(arg: str) -> Iterator[str]:
    """Parts of an argument that may be a path: all of it, the part after `=`, and the part after an option's one
    letter.
    """
    yield arg
    if "=" in arg:
        yield arg.split("=", 1)[1]
    if _SHORT_OPTION.match(arg):
        yield arg[2:]


def _leads_out(value: str, roots: Sequence[Path], folder: Path) -> bool:
    is_path = value.startswith(("/", "~")) or ".." in Path(value).parts or os.path.lexists(folder / value)
    return is_path and leads_outside(os.path.expanduser(value), roots, folder)


def _blocked(message: str) -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, message, reason="BLOCKED_ARGUMENT")
