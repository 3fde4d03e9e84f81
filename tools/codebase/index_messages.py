"""Messages to and from the indexing process: JSON, one message per line."""

from __future__ import annotations

from typing import Literal

import msgspec

from tools.codebase.ingestion import IngestionReport


class IndexRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to index a folder into a memory, a path in the bytes of the file system."""

    memory: bytes
    embedder: Literal["subwords", "minilm", "fastembed"]
    root: str
    name: str
    max_files: int


class Advanced(msgspec.Struct, frozen=True, tag="advanced"):
    done: int
    total: int


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    report: IngestionReport


class IndexFailed(msgspec.Struct, frozen=True, tag="failed"):
    """`code` is that of a `CodebaseError`."""

    code: str
    message: str


Event = Advanced | Finished | IndexFailed
