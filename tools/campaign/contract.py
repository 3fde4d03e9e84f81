"""The schemas of the campaign tools' contract, letter for letter, and their published parts.

Two are not published as they stand, because clients refuse a whole server over them: a text cannot have an output
schema, and an input schema cannot begin with `anyOf`. Both rules hold all the same, and the full schemas are resources.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from tools.tool import JsonObject

NOT_AT_THE_ROOT = ("anyOf", "oneOf", "allOf")


@cache
def contract() -> Mapping[str, Any]:
    """By tool: `input` and `output`; under `error` the form of all errors."""
    loaded: Mapping[str, Any] = json.loads(files("tools.campaign").joinpath("contract.json").read_text("utf-8"))
    return loaded


def published_input(tool: str) -> JsonObject:
    return {key: value for key, value in contract()[tool]["input"].items() if key not in NOT_AT_THE_ROOT}


def published_output(tool: str) -> JsonObject | None:
    """None where the contract's answer is a text."""
    schema: JsonObject = contract()[tool]["output"]
    return schema if schema["type"] == "object" else None


def literal_schemas() -> dict[tuple[str, str], Mapping[str, object]]:
    """Every schema of the contract by (tool, side), for `SchemaResources`."""
    tools = {name: sides for name, sides in contract().items() if name != "error"}
    return {(name, side): schema for name, sides in tools.items() for side, schema in sides.items()}
