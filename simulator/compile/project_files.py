"""Reading the files by which a project configures its compilation."""

from __future__ import annotations

from pathlib import Path

from simulator.errors import CompileError
from simulator.policy import Policy, Request

MAX_FILE = 4 << 20


def read_project_file(file: Path, policy: Policy) -> str | None:
    """The text of a file that must lie in its folder itself, wherever links in it lead; None when it is missing.
    Raises `CompileError` and `PolicyRefused`."""
    request = Request(file.name, str(file.parent), (file.parent.resolve(),))
    try:
        with policy.open(request, file) as opened:
            data = opened.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise CompileError(f"{file}: larger than {MAX_FILE >> 20} MiB")
        return data.decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CompileError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CompileError(f"{file}: cannot be read: not UTF-8 text at byte {error.start}") from error
