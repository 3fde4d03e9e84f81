"""`seed.json` in the corpus folder: the seed of the campaign that was begun there last, written before anything else.

A campaign that is killed before its first checkpoint is so repeated with the same seed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec

from orchestrator.configuration.request import CampaignRequest
from simulator.files.atomic_file import SHARED, write_atomically
from simulator.files.regular_file import read_at_most

SEED_FILE = "seed.json"
_LARGEST = 1_024


class _Begun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seed: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]


def with_durable_seed(request: CampaignRequest) -> CampaignRequest:
    """The request, with the seed of the campaign that it resumes unless it names one. The seed is then on the disk.

    Blocks on the disk. A disk that refuses changes nothing: the checkpoint, which is refused as well, reports it.
    """
    if request.corpus_directory is None:
        return request
    path = request.corpus_directory / SEED_FILE
    if request.resume and request.configuration.seed is None and (seed := _read(path)) is not None:
        request = replace(request, seed=seed)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(_Begun(request.seed)) + b"\n", durable=True, mode=SHARED)
    return request


def _read(path: Path) -> int | None:
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(read_at_most(path, _LARGEST), type=_Begun).seed
    return None
