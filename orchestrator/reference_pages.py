"""The generated parts of the reference pages. `python -m orchestrator.reference_pages` brings them up to date."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from orchestrator.agents.tool_reference import build_table, tool_tables
from orchestrator.command_line.commands import ROOT
from orchestrator.configuration.key_group import Keys
from orchestrator.configuration.model import GROUPS, Configuration
from orchestrator.configuration.plain_values import yaml_values
from orchestrator.configuration.types import allowed_text
from orchestrator.import_graph import picture
from orchestrator.memory_layouts import layout_tables
from orchestrator.report.formats import format_tables

BEGIN: Final = "<!-- generated: begin -->\n"
END: Final = "<!-- generated: end -->\n"
_HELP_WIDTH: Final = 100


def configuration_tables() -> str:
    """One table for each group of keys: key, default, allowed form, meaning."""
    return "\n".join(_table(group) for group in GROUPS)


def _table(group: type[Keys]) -> str:
    title, _, rest = (group.__doc__ or "").partition("\n")
    defaults = yaml_values(Configuration())
    lines = [f"## {title}", ""]
    if rest.strip():
        lines += [" ".join(rest.split()), ""]
    lines += ["| key | default | allowed | meaning |", "|---|---|---|---|"]
    for name, info in group.model_fields.items():
        key = info.alias or name
        cells = (f"`{key}`", _default(defaults[key]), allowed_text(info.rebuild_annotation()), info.description or "")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _default(value: Any) -> str:
    if isinstance(value, list):
        return "`[" + ", ".join(str(item) for item in value) + "]`"
    return f"`{value}`" if isinstance(value, str) and value else f"`{json.dumps(value)}`"


def command_help() -> str:
    """The help of each command as the program prints it, in a terminal of 100 columns."""
    return "\n".join(_helps(ROOT, "monotreme", None))


def _helps(command: click.Command, name: str, parent: click.Context | None) -> list[str]:
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=_HELP_WIDTH, **command.context_settings
    )
    pages = [f"## {context.command_path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"]
    if isinstance(command, click.Group):
        for child_name in command.list_commands(context):
            child = command.get_command(context, child_name)
            assert child is not None
            pages += _helps(child, child_name, context)
    return pages


PAGES: Final[dict[str, Callable[[], str]]] = {
    "CONTRIBUTING.md": picture,
    "docs/reference/configuration.md": configuration_tables,
    "docs/reference/command_line.md": command_help,
    "docs/reference/reports.md": format_tables,
    "docs/reference/tools.md": tool_tables,
    "docs/builds.md": build_table,
    "docs/internals/memory_layouts.md": layout_tables,
}


def with_generated_part(page: str, generated: str) -> str:
    """The page with everything between its two markers replaced. Raises `ValueError` when they are missing."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks {BEGIN.strip()} or {END.strip()}")
    return f"{head}{BEGIN}\n{generated}\n{END}{tail}"


def update(root: Path) -> None:
    """Rewrite the generated parts of all pages below a copy of the project."""
    for name, generate in PAGES.items():
        page = root / name
        page.write_text(with_generated_part(page.read_text(encoding="utf-8"), generate()), encoding="utf-8")


if __name__ == "__main__":
    update(Path.cwd())
