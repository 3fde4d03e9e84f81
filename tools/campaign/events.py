"""Events as tools print them: RFC 3339 time, type, worker, and a payload without bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from actors.coverage.places import NewPlace
from actors.events.types import CoverageIncreased, LoggedEvent, PropertyFalsified, TestDecided, WorkerStarted
from actors.runtime.timestamps import rfc3339
from simulator.transaction import Sequence
from tools.tool import JsonObject

CallTexts = Callable[[Sequence], list[str]]
Places = Callable[[int, tuple[int, ...]], NewPlace]
"""Looks up the place of cells of a code by its number."""


def event_object(logged: LoggedEvent, texts: CallTexts, places: Places) -> JsonObject:
    """An item of `read_logs`. Only for events of a worker."""
    return {
        "timestamp": rfc3339(logged.time),
        "eventType": type(logged.event).__name__,
        "workerId": logged.worker,
        "data": event_data(logged, texts, places),
    }


def event_data(logged: LoggedEvent, texts: CallTexts, places: Places) -> JsonObject:
    """Fields of an event, in camel case. Seeds are texts, as JSON readers cut integers above 2**53."""
    event = logged.event
    match event:
        case PropertyFalsified() | TestDecided():
            fields = _fields(event)
            return {**fields, "counterexample": texts(event.counterexample)}
        case CoverageIncreased():
            place = NewPlace(event.location, event.inside)
            if not event.location and event.cells:
                place = places(event.code, event.cells)
            shown = {key: value for key, value in _fields(event).items() if key not in ("code", "cells")}
            return {**shown, "location": place.location, "inside": place.function}
        case WorkerStarted():
            known = {name: value for name, value in _fields(event).items() if name != "node" or value}
            return {**known, "seed": str(event.seed)}
        case _:
            return _fields(event)


def _fields(event: msgspec.Struct) -> JsonObject:
    names = (name for name in event.__struct_fields__ if name not in ("counterexample", "seed"))
    return {_camel(name): _plain(getattr(event, name)) for name in names}


def _plain(value: Any) -> Any:
    return f"0x{value.hex()}" if isinstance(value, bytes) else msgspec.to_builtins(value)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
