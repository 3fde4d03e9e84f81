"""The part of `foundry.toml`, and of `/// forge-config:` lines, that decides how tests are run."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.compile.project_files import read_project_file
from simulator.compile.projects.foundry_config import MAX_EXTENSIONS
from simulator.errors import CompileError
from simulator.modes.foundry_settings import FoundrySettings
from simulator.policy import USER, Policy, Request
from simulator.project import Project, Unit

WORD_MAX = (1 << 256) - 1
INT64_MAX = (1 << 63) - 1
FILE = "foundry.toml"
SECTIONS = ("fuzz", "invariant")
WITHOUT_EFFECT = {
    "tx_origin": "transactions come from their sender",
    "legacy_assertions": "failed() is not asked; what is stored at the cheatcode address counts",
    "invariant.call_override": "calls are not overridden",
    "isolate": "a test is one transaction",
}
"""Keys that would change verdicts, with what holds here instead."""
_INLINE_WITHOUT_EFFECT = {**WITHOUT_EFFECT, "evm_version": "all tests run under the rules of the project"}
_DEFAULTS = {"legacy_assertions": False, "invariant.call_override": False, "isolate": False}
_INLINE = re.compile(r"forge-config:\s*([\w-]+)\.([\w.-]+)\s*=\s*(\S+)")
_TOKEN = re.compile(
    # Lines of `///` that follow each other are one comment.
    r"(?P<comment>(?:///[^\n]*(?:\n\s*(?=///))?)+|//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
    r"|\b(?P<kind>function|contract|library|interface)\s+(?P<name>[\w$]+)",
    re.DOTALL,
)
_DEFAULT_PROFILE = "default"
_FAIL_ON_REVERT = "invariant.fail_on_revert"
_INLINE_NUMBERS = ("fuzz.runs", "fuzz.max_test_rejects", "invariant.runs", "invariant.depth")


@dataclass(frozen=True)
class FoundryTestConfig:
    """Settings of the project: numbers by key (`block_timestamp`, `fuzz.runs`), and what tests are told."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    tests: FoundrySettings = field(default_factory=FoundrySettings)


def read_test_config(project: Project, policy: Policy = USER) -> FoundryTestConfig:
    """Read the `foundry.toml` of a project's folder and the lines in its sources. Raises `CompileError` with file and
    key for what is malformed, and `PolicyRefused`."""
    file = project.folder / FILE
    values = _values(file, policy)
    numbers = {key: _number(values[key], key, file) for key in NUMBERS if key in values}
    strict, lenient, inline, unheard = _inline(project)
    ignored = [f"{FILE}: {key}: {instead}" for key, instead in WITHOUT_EFFECT.items() if _matters(values, key)]
    tests = FoundrySettings(
        fail_on_revert=values.get("invariant.fail_on_revert") is True,
        strict=strict,
        lenient=lenient,
        runs=min(numbers.get("fuzz.runs", FoundrySettings.runs), INT64_MAX),
        max_rejects=min(numbers.get("fuzz.max_test_rejects", FoundrySettings.max_rejects), INT64_MAX),
        max_assume_rejects=min(
            numbers.get("invariant.max_assume_rejects", FoundrySettings.max_assume_rejects), INT64_MAX
        ),
        inline=inline,
        assertions_revert=values.get("assertions_revert") is not False,
        internal_expect_revert=values.get("allow_internal_expect_revert") is True,
        invariant_runs=min(numbers.get("invariant.runs", FoundrySettings.invariant_runs), INT64_MAX),
        invariant_depth=min(numbers.get("invariant.depth", FoundrySettings.invariant_depth), INT64_MAX),
        ignored=(*ignored, *unheard),
    )
    return FoundryTestConfig(numbers, tests)


NUMBERS = (
    *("sender", "initial_balance", "block_number", "block_timestamp", "block_coinbase", "block_prevrandao"),
    *("gas_limit", "block_gas_limit", "block_base_fee_per_gas", "chain_id", "code_size_limit", "gas_price"),
    *("fuzz.runs", "fuzz.max_test_rejects", "fuzz.dictionary_weight", "fuzz.seed"),
    *("invariant.runs", "invariant.depth", "invariant.shrink_run_limit", "invariant.dictionary_weight"),
    "invariant.max_assume_rejects",
    *("invariant.max_time_delay", "invariant.max_block_delay"),
)
"""Every key that holds a number and has an effect."""


def _matters(values: Mapping[str, Any], key: str) -> bool:
    return key in values and values[key] != _DEFAULTS.get(key)


# --- the file ---------------------------------------------------------------------------------------------------------


def _values(file: Path, policy: Policy) -> dict[str, Any]:
    """Keys of the profile by name, those of its sections as `fuzz.runs`; variables of the user come before those."""
    return _said_in(file, policy) | _variables()


def _said_in(file: Path, policy: Policy, depth: int = 0) -> dict[str, Any]:
    """Merge the settings of a file over those of the file that it extends."""
    text = read_project_file(file, policy)
    if text is None:
        return {}
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise CompileError(f"{file}: not TOML: {error}") from error
    found: dict[str, Any] = {}
    for table in _tables(document, _profile(), stands_alone=depth == 0):
        for key, value in table.items():
            name = key.replace("-", "_")
            if name in SECTIONS and isinstance(value, dict):
                found |= {f"{name}.{inner.replace('-', '_')}": each for inner, each in value.items()}
            else:
                found[name] = value
    base = found.get("extends")
    path = base.get("path") if isinstance(base, dict) else base
    if not isinstance(path, str) or depth >= MAX_EXTENSIONS:
        return found
    extended = policy.file(Request("extends", str(file), (file.parent.resolve(),)), file.parent / path)
    return _said_in(extended, policy, depth + 1) | found


def _profile() -> str:
    return os.environ.get("FOUNDRY_PROFILE") or _DEFAULT_PROFILE


def _variables() -> dict[str, Any]:
    """Return the settings of the user's `FOUNDRY_*` variables, which replace the file's."""
    found: dict[str, Any] = {}
    for key in (*NUMBERS, *WITHOUT_EFFECT, "assertions_revert", "allow_internal_expect_revert", _FAIL_ON_REVERT):
        text = os.environ.get(f"FOUNDRY_{key.replace('.', '_').upper()}")
        if text:
            found[key] = text.lower() == "true" if text.lower() in ("true", "false") else text
    return found


def _tables(document: Mapping[str, Any], name: str, *, stands_alone: bool) -> Iterator[Mapping[str, Any]]:
    """The default profile, sections that stand by themselves unless they are extended, and the chosen profile, from the
    weakest on."""
    profiles = document.get("profile", {})
    if not isinstance(profiles, dict):
        return
    yield _table(profiles, "default")
    if stands_alone:
        yield {section: document[section] for section in SECTIONS if isinstance(document.get(section), dict)}
    if name != "default":
        yield _table(profiles, name)


def _table(profiles: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = profiles.get(name, {})
    return table if isinstance(table, dict) else {}


def _number(value: Any, key: str, file: Path) -> int:
    """A number, also as a text: decimal, hexadecimal, or `max` for the largest that there is."""
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and len(value) < 100:
        try:
            number = INT64_MAX if value in ("max", "unlimited") else int(value, 0)
        except ValueError:
            number = None
    if number is None or not 0 <= number <= WORD_MAX:
        raise CompileError(f"{file}: {key} must be a whole number from 0 to 2^256-1, not {value!r}")
    return number


# --- lines in the sources ---------------------------------------------------------------------------------------------


def _inline(project: Project) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str, int], ...], list[str]]:
    """Contracts as `path:Contract`, and functions as `path:Contract.function`, whose invariants are to fail on reverts,
    those that are not, the numbers that hold for them, and sentences on what has no effect."""
    strict: dict[str, bool] = {}
    numbers: list[tuple[str, str, int]] = []
    unheard: dict[str, dict[str, None]] = {}  # places, each once: several units may hold a source
    for unit in project.units:
        for source in unit.sources:
            if "forge-config:" not in source.content:
                continue
            for name, key, value in _said(source.content):
                place = f"{source.path}:{name}"
                if key == _FAIL_ON_REVERT:
                    strict[place] = value == "true"
                elif key in _INLINE_NUMBERS:
                    number = _number(value, f"forge-config: {key}", Path(source.path))
                    numbers.append((place, key, min(number, INT64_MAX)))
                elif value != _as_it_is(key, unit):
                    unheard.setdefault(key, {})[place] = None
    names = tuple(name for name in strict if strict[name]), tuple(name for name in strict if not strict[name])
    return (*names, tuple(numbers), [_without_effect(key, list(places)) for key, places in unheard.items()])


def _as_it_is(key: str, unit: Unit) -> str:
    """The value that changes nothing, as a comment writes it."""
    return unit.evm_version if key == "evm_version" else str(_DEFAULTS.get(key, "")).lower()


def _without_effect(key: str, places: list[str]) -> str:
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    instead = _INLINE_WITHOUT_EFFECT.get(key, "what foundry.toml says holds for all tests")
    return f"{places[0]}{more}: forge-config: {key}: {instead}"


def _said(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of documentation comments about the contract, or its function, that follows them: name, key
    and value."""
    contract = ""
    pending: dict[str, str] = {}
    for token in _TOKEN.finditer(source):
        if token["comment"]:
            pending |= _told(token["comment"])
        elif token["name"]:
            is_function = token["kind"] == "function"
            contract = contract if is_function else token["name"]
            name = f"{contract}.{token['name']}" if is_function else contract
            yield from ((name, key, value) for key, value in pending.items())
            pending = {}


def _told(comment: str) -> dict[str, str]:
    """Values by key that a documentation comment sets for the chosen profile. What is said for that profile goes before
    what is said for the default one."""
    if not comment.startswith(("///", "/**")):
        return {}
    said = [(match[1], match[2].replace("-", "_"), match[3].strip("\"';")) for match in _INLINE.finditer(comment)]
    return {key: value for profile in (_DEFAULT_PROFILE, _profile()) for name, key, value in said if name == profile}
