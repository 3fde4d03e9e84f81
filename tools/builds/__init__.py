"""Builds, tests, linters and installs with structured diagnostics, and the logs behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from actors.processes.runner import ProcessRunner
from tools.builds.context import BuildContext
from tools.builds.plugin import Plugin
from tools.builds.plugin_tool import tool_of
from tools.builds.plugins import PLUGINS
from tools.builds.run_tools import run_tools
from tools.tool import Tool


def build_tools(
    runner: ProcessRunner,
    roots: tuple[Path, ...] = (),
    here: Path | None = None,
    environment: Mapping[str, str] | None = None,
    plugins: Iterable[Plugin] = PLUGINS,
    *,
    compact: bool = False,
) -> tuple[Tool[Any], ...]:
    """Every tool of this family over a runner that has a `RunStore` and whose `serve` is running.

    Working directories must lie in one of the `roots`, by default `here`, the server's own folder. `environment` is
    scrubbed already; by default it is made from this process's. `compact` is the form of diagnostics for calls that
    do not say which one they want.
    """
    context = BuildContext.of(runner, roots, here, environment, compact=compact)
    return (*(tool_of(plugin, context) for plugin in plugins), *run_tools(context))
