"""Keys of results that are kept: everything that determines a result."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

_SHAPING = (
    *(f"syntax/{name}.py" for name in ("ast", "constants", "constant_values", "folding", "late_reads", "operations")),
    "solc/standard_json.py",
    "../project.py",
    "../storage/layout.py",
)


def cache_key(*parts: bytes | str) -> str:
    """A key for what is determined by all parts together, and by the code that reads a compiler's output."""
    digest = hashlib.sha256(_format())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


@functools.cache
def _format() -> bytes:
    """A digest of the modules that shape cached values: with other code, other keys."""
    folder = Path(__file__).parent
    return hashlib.sha256(b"sealed" + b"".join((folder / name).read_bytes() for name in _SHAPING)).digest()
