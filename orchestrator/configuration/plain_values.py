"""A configuration as plain values, for JSON documents and for YAML files that users read."""

from __future__ import annotations

from typing import Any

from orchestrator.configuration.model import Configuration
from orchestrator.configuration.types import Word, allowed_text


def json_values(configuration: Configuration) -> dict[str, Any]:
    """Values by key. Amounts above 2**53 and addresses are 0x texts, because JSON readers would round them."""
    return configuration.model_dump(mode="json", by_alias=True)


def yaml_values(configuration: Configuration) -> dict[str, Any]:
    """Values by key as a file would hold them: amounts are decimal numbers of any size."""
    form = allowed_text(Word)
    amounts = {
        info.alias or name: getattr(configuration, name)
        for name, info in Configuration.model_fields.items()
        if allowed_text(info.rebuild_annotation()) == form
    }
    return {**json_values(configuration), **amounts}
