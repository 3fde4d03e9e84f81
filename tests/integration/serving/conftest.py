"""The small facade of the tests of the tools' machinery."""

from tests.tools.conftest import dispatcher, registry

__all__ = ["dispatcher", "registry"]
