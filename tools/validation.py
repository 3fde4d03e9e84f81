"""Arguments from outside become a tool's input, or one error that lists every violation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from simulator.printable import shortened
from tools.errors import ErrorCode, ToolError
from tools.tool import ToolInput

Arguments = TypeVar("Arguments", bound=ToolInput)
MAX_VALUE_LENGTH = 80
MAX_VIOLATIONS = 20
_SHOULD = re.compile(r"\w+ should (.*?)(?: after validation, not .*)?", re.DOTALL)


def validated(model: type[Arguments], arguments: Mapping[str, object]) -> Arguments:
    """`arguments` as a `model`. Raises `ToolError` INVALID_INPUT naming each field and what it must be, the first 20 of
    them."""
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=True)
    violations = [f"{_place(detail)} {_demand(detail, model)}".strip() for detail in found[:MAX_VIOLATIONS]]
    if len(found) > MAX_VIOLATIONS:
        violations.append(f"and {len(found) - MAX_VIOLATIONS} more")
    raise ToolError(ErrorCode.INVALID_INPUT, "; ".join(violations), violations=violations)


def _place(detail: ErrorDetails) -> str:
    place = ""
    for step in detail["loc"]:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else str(step)
    return shortened(place, MAX_VALUE_LENGTH)


def _demand(detail: ErrorDetails, model: type[ToolInput]) -> str:
    context: Mapping[str, Any] = detail.get("ctx", {})
    match detail["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            known = ", ".join(field.alias or name for name, field in model.model_fields.items())
            return f"is not a known argument; known are: {known}" if known else "is not known: there are no arguments"
        case "string_pattern_mismatch":
            return f"must match pattern {context['pattern']}"
        case "value_error":
            return str(context["error"])
        case "literal_error" | "enum":
            return f"must be {context['expected']}"
        case "tuple_type":
            return "must be a list"
        case "too_long":
            return f"must have at most {context['max_length']} items"
        case "model_type":
            return f"must be an object{_with_fields(model, context['class_name'])}"
        case _:
            return _as_demand(detail["msg"])


def _with_fields(model: type[ToolInput], name: str) -> str:
    """The fields that an object within the input requires, the object's model being called `name`."""
    for inner in _models_within(model):
        if inner.__name__ == name:
            required = (field.alias or key for key, field in inner.model_fields.items() if field.is_required())
            return " with " + ", ".join(required)
    return ""


def _models_within(model: type[ToolInput]) -> Iterator[type[ToolInput]]:
    parts: list[object] = [field.annotation for field in model.model_fields.values()]
    while parts:
        part = parts.pop()
        if isinstance(part, type) and issubclass(part, ToolInput):
            yield part
        parts += get_args(part)


def _as_demand(message: str) -> str:
    """Pydantic's "Input should be ..." and "String should have ..." as "must be ..." and "must have ..."."""
    if (found := _SHOULD.fullmatch(message)) is not None:
        return f"must {found.group(1)}"
    return message[:1].lower() + message[1:]
