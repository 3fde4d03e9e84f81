"""Definition of a build plugin: the program, its own arguments, its environment, and the parser of its output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.processes.live_run import FinishedRun
from actors.processes.log_lines import LogLine
from tools.builds.diagnostics import Parsed
from tools.builds.text import texts


@dataclass(frozen=True, slots=True)
class Output:
    """A finished command, as parsers see it. `stdout` is what came on stdout alone, for plugins with separate
    streams, at most 10 MiB."""

    lines: Callable[[], Iterator[tuple[LogLine, str]]]
    stdout: bytes
    exit_code: int | None
    folder: Path

    @classmethod
    def of(cls, run: FinishedRun) -> Output:
        return cls(lambda: texts(run.log.lines()), run.stdout, run.exit_code, run.folder)

    def relative(self, file: str) -> str:
        """A file as seen from the working folder where it lies below it, else as it was printed."""
        path = Path(file)
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else file


@dataclass(frozen=True, slots=True)
class Refusal:
    """Options that a caller may not pass, long ones also in the form `--option=value`, and why. `abbreviated` says
    that the program takes the beginning of a long option for the whole."""

    options: tuple[str, ...]
    reason: str
    abbreviated: bool = False

    def covers(self, arg: str) -> bool:
        """True if an argument is one of the options, with or without its value."""
        name = arg.split("=", 1)[0]
        if not name.startswith("--"):
            return any(arg.startswith(option) for option in self.options if len(option) == 2)
        if self.abbreviated and len(name) > 2:
            return any(option.startswith(name) for option in self.options)
        return name in self.options


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """One build tool. `name` is dotted (`dotnet.build`); the published name has an underscore instead.

    `argv` puts its own arguments around the caller's, which stay unchanged and in order. `parse` runs in a thread,
    never raises for whatever a command may print, and needs memory for what it returns only. `mutates` asks for
    `confirmed`; `tests` promises a summary; `separate` keeps stdout apart for machine-readable output. `slash_options`
    says that the program takes options such as `/p:X=Y`, which look like paths. `stand_in` is the command to run where
    there is no such program.
    """

    name: str
    title: str
    description: str
    program: str
    argv: Callable[[tuple[str, ...]], tuple[str, ...]]
    parse: Callable[[Output], Parsed]
    environment: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[Refusal, ...] = ()
    mutates: bool = False
    tests: bool = False
    separate: bool = False
    network: bool = False
    slash_options: bool = False
    stand_in: tuple[str, ...] = ()

    @property
    def published_name(self) -> str:
        return self.name.replace(".", "_")


def before(*own: str) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """An `argv` with these arguments before the caller's."""
    return lambda args: (*own, *args)


def has_option(args: tuple[str, ...], *names: str) -> bool:
    """True if the caller gave one of these options, alone or as `--option=value`, before a bare `--`."""
    for arg in args:
        if arg == "--":
            return False
        if arg in names or arg.split("=", 1)[0] in names:
            return True
    return False
