"""`monotreme index`: read a folder's code into the memory that agents search."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand, GroupedOption
from orchestrator.streams import write_result, write_stderr

if TYPE_CHECKING:
    from tools.codebase.ingestion import IngestionReport

EXAMPLES = """\
Examples:
  monotreme index .                           the code of this folder, under the folder's name
  monotreme index lib/solmate --name solmate
  monotreme index . --check                   which indexed files have changed since"""

QUIET_SECONDS = 2.0
MAX_LISTED = 20


@dataclass(slots=True)
class _ProgressLine:
    """Tells on stderr how far an ingestion is, where it takes longer than two seconds, and then every two."""

    told: float = field(default_factory=time.monotonic)

    def __call__(self, done: int, total: int, path: str) -> None:
        now = time.monotonic()
        if now - self.told >= QUIET_SECONDS:
            self.told = now
            write_stderr(f"indexing: {done} of {total} files")


def _index(
    path: Path, name: str | None, memory: Path | None, embedder: Literal["subwords", "minilm", "fastembed"], check: bool
) -> None:
    # Parsers and numpy are loaded here, so that help never waits for them.
    from tools.codebase.memory import default_memory_file, embedder_of, open_memory

    opened = open_memory(memory or default_memory_file(), embedder_of(embedder))
    chosen = name or opened.name_for(path)
    if check:
        write_result(_text(opened.stale(path, chosen), "would be"))
    else:
        write_result(_text(opened.ingest(path, chosen, _ProgressLine(), lambda: False), "were"))


def _text(report: IngestionReport, verb: str) -> str:
    lines = [f"{report.name}: {report.path}"]
    for word, paths in (("added", report.added), ("changed", report.changed), ("removed", report.removed)):
        if paths:
            lines.append(f"{len(paths)} files {verb} {word}: {_listed(paths)}")
    lines.append(f"{report.unchanged} files are unchanged")
    lines += [f"skipped {path}: {why}" for path, why in list(report.skipped.items())[:MAX_LISTED]]
    if len(report.skipped) > MAX_LISTED:
        lines.append(f"and {len(report.skipped) - MAX_LISTED} more skipped")
    if verb == "were":
        lines.append(f"{report.chunks_after} chunks ({report.chunks_after - report.chunks_before:+})")
    return "\n".join(lines) + "\n"


def _listed(paths: tuple[str, ...]) -> str:
    shown = ", ".join(paths[:MAX_LISTED])
    return shown if len(paths) <= MAX_LISTED else f"{shown}, ..."


index = GroupedCommand(
    "index",
    callback=_index,
    examples=EXAMPLES,
    exit_codes=PLAIN_EXIT_CODES,
    short_help="Index a folder's code for agents to search.",
    help=(
        "Cut the source files below PATH into functions, classes, methods, interfaces, properties and fields, and keep"
        " them for the tool search_codebases. Only files that have changed are read anew. Files that .gitignore leaves"
        " out, files over 1 MB and files of other languages than C#, Java, JavaScript, TypeScript, Python, Solidity and"
        " Vyper are skipped."
    ),
    params=[
        click.Argument(["path"], metavar="PATH", type=click.Path(exists=True, file_okay=False, path_type=Path)),
        GroupedOption("--name", group="Codebase", metavar="NAME", help="Name of the codebase.", shown_default="folder"),
        GroupedOption(
            "--memory",
            group="Codebase",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help="The database.",
            shown_default="codebases.sqlite in the state folder",
        ),
        GroupedOption(
            "--embedder",
            group="Codebase",
            type=click.Choice(("subwords", "minilm", "fastembed")),
            default="subwords",
            help="How code gets vectors, as codebaseEmbedder of the server that searches.",
            shown_default="subwords",
        ),
        GroupedOption(
            "--check", group="Codebase", is_flag=True, help="Only tell what has changed since the last time."
        ),
    ],
)
