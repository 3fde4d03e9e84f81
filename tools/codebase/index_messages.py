"""What the process that indexes is asked and what it tells: JSON, one message a line."""

from __future__ import annotations

from typing import Literal

import msgspec

from tools.codebase.ingestion import IngestionReport


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to index, into which memory."""

    memory: str
    embedder: Literal["subwords", "fastembed"]
    root: str
    name: str
    most_files: int


class Advanced(msgspec.Struct, frozen=True, tag="advanced"):
    done: int
    total: int


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    report: IngestionReport


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """`code` is that of a `CodebaseError`."""

    code: str
    message: str


Event = Advanced | Finished | Failed
