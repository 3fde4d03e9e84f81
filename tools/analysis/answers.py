"""Answers of the `analysis` family: flat, with `success` and the `duration` in milliseconds."""

from __future__ import annotations

import trio

from tools.schemas import DRAFT_07
from tools.tool import Answer, JsonObject

RESULT = {
    "$schema": DRAFT_07,
    "type": "object",
    "required": ["success", "duration"],
}


class Stopwatch:
    """Counts from where it is made, by trio's clock."""

    def __init__(self) -> None:
        self._began = trio.current_time()

    def answer(self, **payload: object) -> Answer:
        """A successful answer with this payload."""
        milliseconds = round((trio.current_time() - self._began) * 1000, 1)
        return Answer({"success": True, **payload, "duration": milliseconds})


def result_schema(**properties: object) -> JsonObject:
    """The output schema of a tool whose answer has these properties."""
    common = {"success": {"type": "boolean"}, "duration": {"type": "number", "minimum": 0}}
    return {**RESULT, "properties": {**common, **properties}}
