"""Arguments of crytic-compile, as Echidna's `cryticArgs` holds them: which are honoured, and what the others differ in.

Crytic-compile is not used: the sources are compiled directly.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from orchestrator.configuration.errors import ConfigurationError

_VALUED = {
    "--solc-args": "solcArgs holds them here",
    "--solc": "solcPath names the compiler here",
    "--solc-solcs-select": "solcVersion names one release here; else the pragmas choose",
    "--solc-solcs-bin": "solcPath names the compiler here",
    "--compile-force-framework": "the framework is found by the project's own files",
    "--foundry-out-directory": "`out` of foundry.toml counts",
    "--hardhat-artifacts-directory": "`paths.artifacts` of the Hardhat configuration counts",
    "--hardhat-cache-directory": "artifacts alone are read",
    "--export-dir": "nothing is exported",
    "--export-format": "nothing is exported",
    "--compile-custom-build": "no command of the project is run",
}
_HONOURED = {
    "--foundry-compile-all": "",
    "--ignore-compile": "artifacts are used when they are as the sources are",
    "--foundry-ignore-compile": "artifacts are used when they are as the sources are",
    "--hardhat-ignore-compile": "artifacts are used when they are as the sources are",
    "--solc-disable-warnings": "warnings are not shown in any case",
}
_REMAPPINGS = frozenset(("--solc-remaps", "--solc-remappings"))
_LIBRARIES = "--compile-libraries"
_NO_METADATA = "--compile-remove-metadata"
_LIBRARY = re.compile(r"\(\s*(\w+)\s*,\s*(0x[0-9a-fA-F]{1,40})\s*\)")


def compiler_arguments(arguments: Sequence[str]) -> Iterator[str]:
    """Return solc's arguments for the remappings, addresses of libraries and metadata among these arguments."""
    for option, value in pairs_of(arguments):
        if option == _NO_METADATA:
            yield "--no-cbor-metadata"
        elif option in _REMAPPINGS and value:
            yield from words(value, option)
        elif option == _LIBRARIES and value:
            for name, address in _LIBRARY.findall(value):
                yield from ("--libraries", f"{name}=0x{int(address, 16):040x}")


def words(text: str, place: str) -> list[str]:
    """The words of a text as a shell divides it. Raises `ConfigurationError` for a quote that is not closed."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ConfigurationError(f"{place}: got {text!r}; expected a text with quotes closed as in a shell") from error


def pairs_of(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Each option with its value, if it has one: `--a b`, `--a=b`, or both in one text."""
    words = [word for argument in arguments for word in _words(argument)]
    position = 0
    while position < len(words):
        option, has_value, value = words[position].partition("=")
        position += 1
        if not option.startswith("-"):
            yield words[position - 1], None
        elif has_value:
            yield option, value
        elif position < len(words) and not words[position].startswith("--"):
            yield option, words[position]
            position += 1
        else:
            yield option, None


def _words(argument: str) -> list[str]:
    """An argument may hold its option and its value, whose blanks belong to it."""
    option, blank, value = argument.partition(" ")
    if not blank or not option.startswith("--") or "=" in option:
        return [argument]
    return [option, value.strip().strip("'\"")] if not value.lstrip().startswith("--") else [option, *_words(value)]


def differences(arguments: Sequence[str]) -> list[str]:
    """Return the differences from crytic-compile, one sentence for each argument. Those that need nothing are left
    out."""
    found = []
    for option, value in pairs_of(arguments):
        if option in _REMAPPINGS or option in ("--foundry-compile-all", _NO_METADATA):
            continue
        if option == _LIBRARIES:
            if not value or _LIBRARY.sub("", value).strip(" ,"):
                found.append(
                    f"{option} has no effect: expected (NAME,0xADDRESS),...; libraries are deployed and linked"
                )
        elif reason := _HONOURED.get(option):
            found.append(f"{option}: {reason}")
        elif reason := _VALUED.get(option):
            found.append(f"{option} has no effect: {reason}")
        else:
            found.append(f"{option} has no effect: crytic-compile is not used")
    return found
