"""JSON schemas of the documents that the program writes, made from the types that write them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def document_schema(name: str, version: int, type_: type[msgspec.Struct]) -> str:
    """The schema of a document. Members that a reader does not know are allowed: they may be added to a version; what
    is there is neither changed nor removed without a new one."""
    schema: dict[str, Any] = msgspec.json.schema(type_)
    head = {
        "$schema": DIALECT,
        "$id": f"urn:monotreme:{name}:{version}",
        "title": f"Monotreme {name}, schema {version}",
    }
    return json.dumps({**head, **schema}, indent=2) + "\n"
