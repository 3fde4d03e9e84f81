"""A small facade with a tool of each kind, for the tests of the machinery."""

from __future__ import annotations

import pytest

from tests.support.tool_set import tool_set
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry


@pytest.fixture
def registry() -> ToolRegistry:
    return ToolRegistry(tool_set())


@pytest.fixture
def dispatcher(registry: ToolRegistry) -> Dispatcher:
    return Dispatcher(registry)
