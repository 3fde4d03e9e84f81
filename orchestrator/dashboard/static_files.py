"""The files of the page: a table from path to content, read once. Nothing else can be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

START = "index.html"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".txt": "text/plain"}


class StaticFile(msgspec.Struct, frozen=True):
    content: bytes
    media_type: str


@cache
def static_files() -> Mapping[str, StaticFile]:
    """By path, such as `/panels/verdicts.js`; `/` is the page."""
    found = dict(_below(files("orchestrator.dashboard") / "assets", "/"))
    return {**found, "/": found[f"/{START}"]}


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, StaticFile]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _below(each, f"{path}{each.name}/")
        elif (media_type := _TYPES.get(each.name[each.name.rfind(".") :])) is not None:
            yield path + each.name, StaticFile(each.read_bytes(), media_type)
