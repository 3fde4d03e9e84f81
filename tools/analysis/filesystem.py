"""`filesystem`: files of the project, read by a path that cannot leave it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

import trio
from pydantic import Field, model_validator

from simulator.files.regular_file import NotRegularError, TooLargeError, read_at_most
from tools.analysis.answers import Stopwatch, result_schema
from tools.errors import ErrorCode, ToolError
from tools.publishing import looking
from tools.roots import AllowedRoots, PathOutside, PathRefused
from tools.tool import Answer, Deadline, Family, Tool, ToolInput

MAX_FILE_BYTES = 4 << 20


class FilesystemInput(ToolInput):
    """Arguments of `filesystem`. Lines count from 1, both ends included."""

    action: Annotated[Literal["read"], Field(description="File system action")]
    path: Annotated[
        str, Field(min_length=1, max_length=4096, description="File path to read (relative to project root)")
    ]
    start_line: Annotated[int | None, Field(alias="startLine", ge=1, description="First line wanted")] = None
    end_line: Annotated[int | None, Field(alias="endLine", ge=1, description="Last line wanted")] = None

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.start_line is not None and self.end_line is not None and self.end_line < self.start_line:
            raise ValueError("endLine must not be less than startLine")
        return self


def filesystem_tool(root: Path) -> Tool[FilesystemInput]:
    """The tool for the project at `root`."""

    async def read(arguments: FilesystemInput) -> Answer:
        watch = Stopwatch()
        content = await trio.to_thread.run_sync(read_inside, root, arguments.path, abandon_on_cancel=True)
        if arguments.start_line is None and arguments.end_line is None:
            return watch.answer(content=content, path=arguments.path)
        lines = content.splitlines(keepends=True)
        wanted = lines[(arguments.start_line or 1) - 1 : arguments.end_line]
        return watch.answer(content="".join(wanted), path=arguments.path, totalLines=len(lines))

    return looking(
        "filesystem",
        (
            "Reads a text file of the project by a path relative to its root, whole or a range of lines."
            " Use it to look at code that other tools point to. Returns content and path."
        ),
        (
            FilesystemInput,
            result_schema(
                content={"type": "string"}, path={"type": "string"}, totalLines={"type": "integer", "minimum": 0}
            ),
        ),
        read,
        family=Family.ANALYSIS,
        title="Read a project file",
        deadline=Deadline.ANALYSIS,
    )


def read_inside(root: Path, path: str) -> str:
    """The text of a file below `root`, links resolved. Blocks. Raises `ToolError`; messages give `path` as asked."""
    if "\0" in path:
        raise ToolError(ErrorCode.INVALID_INPUT, "path must not contain NUL")
    try:
        found = AllowedRoots((root,), root).resolve(path)
    except PathOutside as error:
        message = f"Path is outside project root: {path}"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="OUTSIDE_ROOT") from error
    except PathRefused as error:
        raise ToolError(ErrorCode.INVALID_INPUT, f"Cannot read {path}: {error}") from error
    try:
        return _read(found, path)
    except FileNotFoundError as error:
        raise ToolError(ErrorCode.INVALID_INPUT, f"File not found: {path}") from error
    except OSError as error:
        raise ToolError(ErrorCode.INVALID_INPUT, f"Cannot read {path}: {error.strerror}") from error


def _read(found: Path, path: str) -> str:
    """The last name could have become a link since it was resolved."""
    try:
        content = read_at_most(found, MAX_FILE_BYTES)
    except NotRegularError as error:
        raise ToolError(ErrorCode.INVALID_INPUT, f"Not a file: {path}") from error
    except TooLargeError as error:
        raise ToolError(ErrorCode.INVALID_INPUT, f"{path} is larger than {MAX_FILE_BYTES} bytes") from error
    if b"\0" in content[:8192]:
        raise ToolError(ErrorCode.INVALID_INPUT, f"{path} is a binary file")
    return content.decode("utf-8", "replace")
