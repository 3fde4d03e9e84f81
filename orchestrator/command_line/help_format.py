"""Help texts: options in groups with their defaults, then examples and exit codes."""

from __future__ import annotations

from typing import Any

import click

EXIT_CODES = """\
Exit codes:
  0    nothing found
  1    a test failed, or the health is not what --require wants
  2    wrong usage, configuration or target
  3    the machine, a worker or the program failed
  130  interrupted, nothing found"""

PLAIN_EXIT_CODES = """\
Exit codes:
  0    done
  2    wrong usage or input
  3    the machine or the program failed
  130  interrupted"""

SERVER_EXIT_CODES = """\
Exit codes:
  0    ended by its client or by a signal
  2    wrong usage, configuration or target
  3    the machine or the program failed
  130  interrupted before it served"""

_FIRST_COLUMN = 27


class GroupedOption(click.Option):
    """An option that help lists under a heading. `key` is the configuration key that it sets, if any;
    `shown_default` is what help gives as its default."""

    def __init__(self, *names: str, group: str, key: str | None = None, shown_default: str = "", **rest: Any) -> None:
        super().__init__(list(names), **rest)
        self.group = group
        self.key = key
        self.shown_default = shown_default

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Names and explanation, the default in brackets behind it."""
        record = super().get_help_record(ctx)
        if record is None or not self.shown_default:
            return record
        return record[0], f"{record[1]} [{self.shown_default}]"


def format_option(*forms: str, help: str, group: str = "Options") -> GroupedOption:
    """`--format`, passed on as `output`; the first of the forms is the default."""
    return GroupedOption(
        "--format",
        "output",
        group=group,
        type=click.Choice(forms),
        default=forms[0],
        help=help,
        shown_default=forms[0],
    )


class GroupedCommand(click.Command):
    """A command whose help lists `GroupedOption`s by group and ends with examples as they are written, and with the
    exit codes: those of campaigns unless others are given."""

    def __init__(self, name: str, *, examples: str, exit_codes: str = EXIT_CODES, **rest: Any) -> None:
        super().__init__(
            name, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, **rest
        )
        self.examples = examples
        self.exit_codes = exit_codes

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups in the order in which their first options stand, all in the same two columns."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                group = parameter.group if isinstance(parameter, GroupedOption) else "Help"
                groups.setdefault(group, []).append((record[0].ljust(_FIRST_COLUMN), record[1]))
        for group, records in groups.items():
            with formatter.section(group):
                formatter.write_dl(records, col_max=_FIRST_COLUMN + 4)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples and exit codes, without rewrapping."""
        formatter.write(f"\n{self.examples.rstrip()}\n\n{self.exit_codes}\n")
