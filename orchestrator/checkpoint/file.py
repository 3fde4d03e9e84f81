"""`checkpoint.json` in the corpus folder: one versioned JSON document, replaced whole or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from actors.campaign.state import CampaignState
from orchestrator.checkpoint.errors import CheckpointError
from simulator.encoding import encode_json
from simulator.files.atomic_file import SHARED, write_atomically
from simulator.files.regular_file import NotRegularError, TooLargeError, read_at_most
from simulator.printable import printable_json

CHECKPOINT_FILE = "checkpoint.json"
FORMAT = 3
LARGEST = 64 << 20


class Checkpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A campaign at one moment. `campaign` is its id, the same after each resumption; `saved` RFC 3339; `ended` why it
    ended, empty while it runs. `target` is the fuzzed contract (`path:Name`), `codes` a digest by contract that it is
    made of, `settings` one by setting that decides what a sequence of calls does. `seed` is the campaign's: together
    with the processes of its workers it gives the seeds of those that continue. `digest` is of all the rest;
    it is made when the checkpoint is written."""

    format: int
    campaign: str
    saved: str
    ended: str
    target: str
    codes: dict[str, str]
    settings: dict[str, str]
    seed: int
    state: CampaignState
    digest: str = ""


class _Head(msgspec.Struct):
    format: int


def checkpoint_of(folder: Path) -> Path:
    """Path of the checkpoint of a corpus folder."""
    return folder / CHECKPOINT_FILE


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write to a temporary file, sync it, put it in place, sync the folder. Blocks on the disk. Raises `OSError`; the
    file that was there then stays."""
    sealed = msgspec.structs.replace(checkpoint, digest=_digest(checkpoint))
    data = printable_json(msgspec.json.format(encode_json(sealed), indent=1).decode()).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data + b"\n", durable=True, mode=SHARED)


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint, None where there is none. Raises `CheckpointError` for whatever is no checkpoint of ours."""
    data = _read(path)
    if data is None:
        return None
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.format != FORMAT:
            raise CheckpointError(f"{path}: written in format {head.format}; this version reads format {FORMAT}")
        checkpoint = msgspec.json.decode(data, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CheckpointError(f"{path}: no checkpoint, or not all of one: {error}") from error
    plain = msgspec.structs.replace(checkpoint, digest="")
    if checkpoint.digest != _digest(plain):
        raise CheckpointError(f"{path}: damaged, or changed by hand")
    return plain


def _digest(checkpoint: Checkpoint) -> str:
    return hashlib.sha256(encode_json(checkpoint)).hexdigest()


def _read(path: Path) -> bytes | None:
    try:
        return read_at_most(path, LARGEST)
    except FileNotFoundError:
        return None
    except NotRegularError as error:
        raise CheckpointError(f"{path}: not a regular file") from error
    except TooLargeError as error:
        raise CheckpointError(f"{path}: over {LARGEST} bytes") from error
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from error
