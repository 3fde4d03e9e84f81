"""A group of configuration keys, and one key of it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


def key(name: str, default: Any, meaning: str) -> Any:
    """A field that is written as `name` in files."""
    return Field(default=default, alias=name, description=meaning)


class Keys(BaseModel):
    """Base of all groups: frozen, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=False)
