"""Layers of configuration: defaults < file < environment < flags. Each value knows the place it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.keys import FIELDS, OLD_NAMES, OLD_SWITCHES, unknown_key_warning
from orchestrator.configuration.medusa import is_medusa, read_medusa
from orchestrator.configuration.yaml_tree import Location, Tree, YamlSyntaxError, parse_json_tree, parse_tree
from simulator.modes.table import DEFAULT_MODE

MAX_FILE_SIZE: Final = 1 << 20
ENVIRONMENT: Final = {
    "ECHIDNA_RPC_URL": "rpcUrl",
    "ECHIDNA_RPC_BLOCK": "rpcBlock",
    "ETHERSCAN_API_KEY": "etherscanApiKey",
    "ECHIDNA_MCP_PORT": "mcpPort",
    "ECHIDNA_CORPUS_DIR": "corpusDir",
}


@dataclass(frozen=True, slots=True)
class Layer:
    """Values by key, and a function that names the place of each for users (`echidna.yaml:3`, `--seed`). `is_text`
    says that the layer knows nothing but texts, so that numbers are written as texts there. `problems` are errors that
    the layer itself found, `notes` keys of it without effect; `shown` is what the user calls a key."""

    values: Mapping[str, Any]
    place: Callable[[Location], str]
    warnings: tuple[str, ...] = field(default=())
    is_text: bool = False
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    shown: Callable[[str], str] = lambda key: key


def file_layer(path: Path) -> Layer:
    """The values of a file in Echidna's YAML, or of a medusa.json: its content says which. Unknown keys become
    warnings, old names their present ones, null the default.

    Reads at most 1 MiB. Raises `ConfigurationError` when the file cannot be read or is no mapping.
    """
    text = _read(path)
    try:
        tree = parse_json_tree(text) if _is_json(path, text) else parse_tree(text)
    except YamlSyntaxError as problem:
        raise ConfigurationError(f"{path}:{problem.line}: {problem}") from problem
    mapping = tree.value if tree.value is not None else {}
    if not isinstance(mapping, dict):
        raise ConfigurationError(f"{path}:1: expected keys with values, such as `testMode: assertion`")
    return _medusa_layer(tree, path) if is_medusa(mapping) else _echidna_layer(tree, mapping, path)


def _is_json(path: Path, text: str) -> bool:
    return path.suffix.lower() == ".json" and text.lstrip().startswith(("{", "["))


def _medusa_layer(tree: Tree, path: Path) -> Layer:
    read = read_medusa(tree, path)

    def place(location: Location) -> str:
        start = read.locations.get(str(location[0]))
        if start is None:
            return f"{path} (Medusa's default)"
        whole = (*start, *location[1:])
        while whole not in tree.lines and len(whole) > len(start):
            whole = whole[:-1]
        return f"{path}:{tree.lines.get(whole, 1)}"

    def shown(key: str) -> str:
        return ".".join(map(str, read.locations.get(key, (key,))))

    return Layer(read.values, place, read.warnings, problems=read.problems, notes=read.notes, shown=shown)


def _echidna_layer(tree: Tree, mapping: Mapping[str, Any], path: Path) -> Layer:
    def place(location: Location) -> str:
        written = _written_location(location, mapping)
        while written and written not in tree.lines:
            written = written[:-1]
        return f"{path}:{tree.lines[written]}" if written else str(path)

    warnings = [f"{path}:{line}: {key}: given twice, the last one counts" for key, line in tree.repeated]
    values: dict[str, Any] = {}
    for name, value in mapping.items():
        key = OLD_NAMES.get(name, name)
        if name in OLD_SWITCHES and value is True and "testMode" not in mapping:
            values["testMode"] = OLD_SWITCHES[name]
            warnings.append(f"{path}:{tree.lines[(name,)]}: {name}: read as testMode: {OLD_SWITCHES[name]}")
        elif key not in FIELDS:
            warnings.append(f"{path}:{tree.lines[(name,)]}: {unknown_key_warning(name)}")
        elif value is not None and (key == name or key not in mapping):
            values[key] = value
    # A file in Echidna's format means Echidna's semantics, also where it leaves them to the default.
    values.setdefault("testMode", DEFAULT_MODE)
    return Layer(values, place, tuple(warnings))


def _written_location(location: Location, mapping: Mapping[str, Any]) -> Location:
    """The location under the name that the file uses, which may be an old one."""
    if not location or location[0] in mapping:
        return location
    names = [old for old, key in OLD_NAMES.items() if key == location[0]]
    return (*names, *location[1:])


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_FILE_SIZE:
        raise ConfigurationError(f"{path}: larger than {MAX_FILE_SIZE} bytes, which no configuration is")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 text (byte {error.start})") from error


def environment_layer(environment: Mapping[str, str]) -> Layer:
    """Values of Echidna's environment variables; an empty variable counts as not set."""
    values = {key: environment[name] for name, key in ENVIRONMENT.items() if environment.get(name)}
    names = {key: name for name, key in ENVIRONMENT.items()}
    return Layer(values, lambda location: names[str(location[0])], is_text=True)


def flag_layer(flags: Mapping[str, tuple[str, Any]]) -> Layer:
    """Values of command-line flags: key to (flag, value). None and an empty tuple mean not given."""
    values = {key: value for key, (_, value) in flags.items() if value is not None and value != ()}
    return Layer(values, lambda location: flags[str(location[0])][0], is_text=True)
