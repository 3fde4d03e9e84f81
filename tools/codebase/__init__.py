"""Family `codebase` (contract 002): an index of source code that agents search by meaning and by name."""

from __future__ import annotations

from typing import Any

from tools.codebase.ingestions import Ingestions
from tools.codebase.memory import CodebaseMemory
from tools.codebase.tools import MemoryTools
from tools.roots import AllowedRoots
from tools.tool import Tool


def codebase_tools(memory: CodebaseMemory, ingestions: Ingestions, roots: AllowedRoots) -> tuple[Tool[Any], ...]:
    """Every tool of this family. `ingestions.serve` must be running; folders to index lie in `roots`."""
    return MemoryTools(memory, ingestions, roots).all()
