"""Family `codebase`: its tools, the four of the contract first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tools.codebase.service import CodebaseService
from tools.tool import Tool

TOOLS: tuple[Callable[[CodebaseService], Iterable[Tool[Any]]], ...] = (
    lambda service: service.memory_tools[:3],
    lambda service: (service.page.tool(),),
    lambda service: service.memory_tools[3:],
)
"""The service must be serving when the tools are called."""
