"""The memory and the project of the tests of the codebase tools."""

from tests.tools.codebase.conftest import memory, project

__all__ = ["memory", "project"]
