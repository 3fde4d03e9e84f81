"""Family `codebase`: an index of source code that agents search by meaning and by name."""

from __future__ import annotations

from typing import Any

from tools.codebase.service import CodebaseService
from tools.tool import Tool


def codebase_tools(service: CodebaseService) -> tuple[Tool[Any], ...]:
    """Every tool of this family, the four of the contract first. `service.serve` must be running."""
    return (*service.memory_tools[:3], service.page.tool(), *service.memory_tools[3:])
