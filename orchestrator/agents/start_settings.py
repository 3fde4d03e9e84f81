"""`settings` of `start_campaign`: keys of a configuration file as arguments of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.keys import FIELDS, OLD_NAMES, nearest_key
from orchestrator.configuration.layers import Layer
from orchestrator.configuration.yaml_tree import Location
from simulator.printable import one_line, shortened

MAX_SHOWN = 60


def settings_layer(settings: Mapping[str, Any]) -> Layer:
    """The values by the names of Echidna's YAML, old ones included; null is the default. An unknown key is refused, as
    a campaign that continues without it is not the one that was asked for. Raises `ConfigurationError`."""
    values: dict[str, Any] = {}
    written: dict[str, str] = {}
    for name, value in settings.items():
        key = OLD_NAMES.get(name, name)
        if key not in FIELDS:
            nearest = nearest_key(name)
            hint = f"; did you mean {nearest}?" if nearest else "; keys are those of a configuration file in YAML"
            raise ConfigurationError(f"settings: {shortened(one_line(name), MAX_SHOWN) or repr('')}: unknown key{hint}")
        if value is not None:
            values[key], written[key] = value, name

    def place(location: Location) -> str:
        first = str(location[0]) if location else ""
        return ".".join(("settings", written.get(first, first), *map(str, location[1:])))

    return Layer(values, place)
