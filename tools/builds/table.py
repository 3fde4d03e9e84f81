"""Family `builds`: its tools. A build tool is a plugin, which is a line in `plugins/__init__.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tools.builds.context import BuildContext
from tools.builds.plugin_tool import tool_of
from tools.builds.plugins import PLUGINS
from tools.builds.run_tools import run_tools
from tools.tool import Tool

TOOLS: tuple[Callable[[BuildContext], Iterable[Tool[Any]]], ...] = (
    lambda context: (tool_of(plugin, context) for plugin in PLUGINS),
    run_tools,
)
