"""The results of an unfinished run in a file, so that another run of the same mutants continues where it ended."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from actors.mutation.results import MutantResult
from simulator.encoding import encode_json
from simulator.files.atomic_file import SHARED, write_atomically
from simulator.files.regular_file import read_at_most
from simulator.mutation.frames import Kill
from simulator.mutation.mutant import MutantStatus

MAX_FILE_BYTES = 64 << 20


class _Kept(msgspec.Struct, frozen=True):
    id: str
    status: MutantStatus
    kills: tuple[Kill, ...]
    calls: int
    note: str
    seconds: float


class _Document(msgspec.Struct, frozen=True):
    key: str
    results: tuple[_Kept, ...]


class ResultStore:
    """One file. `key` stands for all that results depend on."""

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self._key = key

    def load(self) -> dict[str, _Kept] | None:
        """Load the known results by the mutants' ids; None when the file is of another run, or cannot be read as
        one."""
        try:
            document = msgspec.json.decode(read_at_most(self.path, MAX_FILE_BYTES), type=_Document)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return {kept.id: kept for kept in document.results} if document.key == self._key else None

    def save(self, results: Iterable[MutantResult]) -> None:
        """Replace the file. Raises `OSError`."""
        kept = tuple(
            _Kept(each.mutant.id, each.status, each.kills, each.calls, each.note, each.seconds) for each in results
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, encode_json(_Document(self._key, kept)), durable=False, mode=SHARED)
