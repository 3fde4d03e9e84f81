"""Arguments of solc's command line, as Echidna's `solcArgs` and `--solc-args` hold them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from simulator.compile.options import CompilerSettings
from simulator.compile.sources.remappings import Remapping, parse_remapping
from simulator.errors import CompileError
from simulator.policy import USER, Policy, Request

_REMAPPING = re.compile(r"[^=\s-][^=]*=.*")
_LIBRARY = re.compile(r"(?P<name>[^=\s]+?)[=:]\s*(?:0x)?(?P<address>[0-9a-fA-F]{40})")
_IGNORED_FLAGS = {
    "--asm",
    "--bin",
    "--bin-runtime",
    "--abi",
    "--ast-compact-json",
    "--overwrite",
    "--no-color",
    "--color",
    "--error-codes",
}
_FLAGS = {"--optimize", "--via-ir", "--experimental-via-ir", "--no-cbor-metadata"}


class SolcArguments(msgspec.Struct, frozen=True):
    """Settings of the compiler, and folders that imports may also come from."""

    settings: CompilerSettings = CompilerSettings()
    remappings: tuple[Remapping, ...] = ()
    allow_paths: tuple[Path, ...] = ()
    include_paths: tuple[Path, ...] = ()
    base_path: Path | None = None


class _Collected:
    def __init__(self, cwd: Path, policy: Policy) -> None:
        self.cwd = cwd
        self.policy = policy
        self.values: dict[str, object] = {}
        self.remappings: list[str] = []
        self.libraries: dict[str, bytes] = {}
        self.allow_paths: list[Path] = []
        self.include_paths: list[Path] = []
        self.base_path: Path | None = None

    def folder(self, option: str, text: str) -> Path:
        """A folder that the policy allows, without links. Raises `PolicyRefused`."""
        return self.policy.file(Request(f"solc arguments: {option}"), self.cwd / text)


def parse_solc_arguments(arguments: Sequence[str], cwd: Path, policy: Policy = USER) -> SolcArguments:
    """Understand arguments, each a single one or a text of several. Relative folders start from `cwd`. Raises
    `CompileError` for an argument that is not understood or a malformed value, and `PolicyRefused`."""
    collected = _Collected(cwd, policy)
    words = iter([word for argument in arguments for word in _split(argument)])
    for word in words:
        _take(word, words, collected)
    return SolcArguments(
        msgspec.convert({**collected.values, "libraries": collected.libraries}, CompilerSettings),
        tuple(parse_remapping(text, "solc arguments") for text in collected.remappings),
        tuple(collected.allow_paths),
        tuple(collected.include_paths),
        collected.base_path,
    )


def _split(argument: str) -> list[str]:
    try:
        return shlex.split(argument)
    except ValueError as error:
        raise CompileError(f"solc arguments: {argument!r} has an unbalanced quote") from error


def _take(word: str, words: Iterator[str], collected: _Collected) -> None:
    name, has_value, value = word.partition("=")
    if not word.startswith("-"):
        if not _REMAPPING.fullmatch(word):
            raise CompileError(f"solc arguments: '{word}' is neither an option nor a remapping prefix=target")
        collected.remappings.append(word)
    elif name in _IGNORED_FLAGS:
        return
    elif name in _FLAGS and not has_value:
        _take_flag(name, collected)
    elif name in _VALUED:
        text = value if has_value else next(words, None)
        if text is None:
            raise CompileError(f"solc arguments: {name} needs a value")
        _VALUED[name](text, collected)
    else:
        known = ", ".join(sorted(_FLAGS | _VALUED.keys()))
        raise CompileError(f"solc arguments: {word} is not understood; allowed are prefix=target and {known}")


def _take_flag(name: str, collected: _Collected) -> None:
    match name:
        case "--optimize":
            collected.values["optimizer"] = True
        case "--no-cbor-metadata":
            collected.values["cbor_metadata"] = False
        case _:
            collected.values["via_ir"] = True


def _runs(text: str, collected: _Collected) -> None:
    if not text.isdecimal() or int(text) >= 1 << 32:
        raise CompileError(f"solc arguments: --optimize-runs {text} is not a number from 0 to {(1 << 32) - 1}")
    collected.values["optimizer_runs"] = int(text)


def _one_of(option: str, key: str, allowed: str) -> Callable[[str, _Collected], None]:
    def take(text: str, collected: _Collected) -> None:
        if not re.fullmatch(allowed, text):
            raise CompileError(f"solc arguments: {option} {text} is not one of {allowed.replace('|', ', ')}")
        collected.values[key] = text

    return take


def _allow(text: str, collected: _Collected) -> None:
    collected.allow_paths += [collected.folder("--allow-paths", part) for part in text.split(",") if part]


def _include(text: str, collected: _Collected) -> None:
    collected.include_paths += [collected.folder("--include-path", part) for part in text.split(",") if part]


def _libraries(text: str, collected: _Collected) -> None:
    for part in re.split(r"[,\s]+", text.strip()):
        if not (match := _LIBRARY.fullmatch(part)):
            raise CompileError(f"solc arguments: --libraries {part} is not of the form path:Name=0x<40 hex digits>")
        collected.libraries[match["name"]] = bytes.fromhex(match["address"])


def _remap(text: str, collected: _Collected) -> None:
    if not _REMAPPING.fullmatch(text):
        raise CompileError(f"solc arguments: --remap {text} is not of the form prefix=target")
    collected.remappings.append(text)


def _base(text: str, collected: _Collected) -> None:
    collected.base_path = collected.folder("--base-path", text)


BYTECODE_HASHES = "none|ipfs|bzzr1"
REVERT_STRINGS = "default|strip|debug|verboseDebug"
EVM_VERSIONS = (
    "homestead|tangerineWhistle|spuriousDragon|byzantium|constantinople|petersburg|istanbul|berlin|london|paris"
    "|shanghai|cancun|prague|osaka"
)

_VALUED: dict[str, Callable[[str, _Collected], None]] = {
    "--optimize-runs": _runs,
    "--evm-version": _one_of("--evm-version", "evm_version", EVM_VERSIONS),
    "--metadata-hash": _one_of("--metadata-hash", "bytecode_hash", BYTECODE_HASHES),
    "--revert-strings": _one_of("--revert-strings", "revert_strings", REVERT_STRINGS),
    "--allow-paths": _allow,
    "--include-path": _include,
    "-I": _include,
    "--base-path": _base,
    "--libraries": _libraries,
    "--remap": _remap,
}
