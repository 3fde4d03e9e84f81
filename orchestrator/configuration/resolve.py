"""From layers to one validated configuration, with the source of each value and all warnings for the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orchestrator.configuration.crytic_arguments import differences
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.keys import FIELDS
from orchestrator.configuration.layers import Layer
from orchestrator.configuration.model import SECRET_KEYS, Configuration
from orchestrator.configuration.other_fuzzers_keys import UnusedKeys
from orchestrator.configuration.powers import POWERS, Power
from orchestrator.configuration.types import TEXTS_ARE_NUMBERS, allowed_text
from orchestrator.configuration.yaml_tree import Location

_MAX_SHOWN_LENGTH = 60
_DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A configuration; `sources` names for each key where its value comes from (`default` when nowhere). `warnings`
    are likely mistakes, `notes` keys that are set without effect."""

    configuration: Configuration
    sources: dict[str, str]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def resolve(layers: Sequence[Layer]) -> Resolved:
    """Merge layers, later ones above earlier ones.

    Raises `ConfigurationError` with one problem for each bad key of each layer, also where a higher one hides it.
    """
    if problems := [problem for layer in layers for problem in _problems_of(layer)]:
        # Nobody should have to correct a file twice.
        raise ConfigurationError(*problems, *(warning for layer in layers for warning in layer.warnings))
    values: dict[str, Any] = {}
    owners: dict[str, Layer] = {}
    for layer in layers:
        values.update(layer.values)
        owners.update(dict.fromkeys(layer.values, layer))
    try:
        configuration = Configuration.model_validate(values, context=TEXTS_ARE_NUMBERS)
    except ValidationError as error:
        raise ConfigurationError(*_problems(error, owners)) from error
    return Resolved(
        configuration=configuration,
        sources={key: owners[key].place((key,)) if key in owners else _DEFAULT for key in FIELDS},
        warnings=tuple(warning for layer in layers for warning in layer.warnings),
        notes=(
            *(note for layer in layers for note in layer.notes),
            *_unused(configuration, owners),
            *_crytic_notes(configuration, owners),
            *_powers_given(configuration, owners),
        ),
    )


def _problems_of(layer: Layer) -> list[str]:
    """The bad keys of one layer. What concerns several keys is left to the whole."""
    found = [*layer.problems, *_beyond_their_place(layer)]
    try:
        Configuration.model_validate(dict(layer.values), context=TEXTS_ARE_NUMBERS if layer.is_text else None)
    except ValidationError as error:
        return [*_problems(error, dict.fromkeys(layer.values, layer), only_keys=True), *found]
    return found


_FLAGS_OF_TRUST: Final = {"trustProject": "--trust-project", "fetchVyper": "--fetch-vyper"}


def _beyond_their_place(layer: Layer) -> Iterator[str]:
    """Keys that a file sets although only a flag may: files come with the project that they are about."""
    for key in (key for key, power in POWERS.items() if power is Power.TRUST and layer.values.get(key) is True):
        if not (place := layer.place((key,))).startswith("--"):
            yield f"{place}: {key}: only a flag may say this: {_FLAGS_OF_TRUST[key]}"


_RUN_BY_FILES: Final = {
    Power.PROGRAM: "this program is run because --config names the file; --solc names another one",
    Power.FFI: "contracts may run programs with your rights because --config names the file; without the key, none run",
}


def _powers_given(configuration: Configuration, owners: dict[str, Layer]) -> Iterator[str]:
    """Programs that run because a file says so, which the user may not have read."""
    given = [key for key, power in POWERS.items() if power in _RUN_BY_FILES and key in owners]
    for key in given:
        place = owners[key].place((key,))
        if getattr(configuration, FIELDS[key]) and not place.startswith("--"):
            yield f"{place}: {key}: {_RUN_BY_FILES[POWERS[key]]}"


def _crytic_notes(configuration: Configuration, owners: dict[str, Layer]) -> Iterator[str]:
    for difference in differences(configuration.crytic_args):
        yield f"{_prefix(owners['cryticArgs'], ('cryticArgs',))}: {difference}"


def _unused(configuration: Configuration, owners: dict[str, Layer]) -> Iterator[str]:
    for name, info in UnusedKeys.model_fields.items():
        key = info.alias or name
        if key in owners and getattr(configuration, name) != info.default:
            yield f"{_prefix(owners[key], (key,))} has no effect: {info.description}"
    if configuration.rpc_block is not None and not configuration.rpc_url:
        yield f"{_prefix(owners['rpcBlock'], ('rpcBlock',))} has no effect: there is no rpcUrl."


def _problems(error: ValidationError, owners: dict[str, Layer], *, only_keys: bool = False) -> list[str]:
    """One line for each key: what was found at the first bad place in it, and what the key allows."""
    problems: dict[str, str] = {}
    for detail in error.errors(include_url=False):
        key = str(detail["loc"][0]) if detail["loc"] else ""
        if only_keys and not key:
            continue
        problems.setdefault(key, _problem(detail, owners.get(key)))
    return list(problems.values())


def _problem(detail: ErrorDetails, owner: Layer | None) -> str:
    # A missing part is reported at the list that lacks it.
    location = detail["loc"][:-1] if detail["type"] == "missing" else detail["loc"]
    if owner is None:
        return _cross_key_message(detail)
    key = str(location[0])
    found = "something else" if key in SECRET_KEYS else _shown(detail["input"])
    expected = allowed_text(Configuration.model_fields[FIELDS[key]].rebuild_annotation())
    return f"{_prefix(owner, location)}: got {found}; expected {expected}"


def _prefix(owner: Layer, location: Location) -> str:
    key, *indexes = location
    place = owner.place(location)
    # A flag is the key, as far as the user is concerned.
    if place.startswith("--"):
        return place
    return f"{place}: {owner.shown(str(key))}" + "".join(f"[{index}]" for index in indexes)


def _cross_key_message(detail: ErrorDetails) -> str:
    cause = detail.get("ctx", {}).get("error")
    return str(cause) if cause is not None else detail["msg"]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN_LENGTH else text[: _MAX_SHOWN_LENGTH - 3] + "..."
