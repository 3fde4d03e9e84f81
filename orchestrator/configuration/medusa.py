"""medusa.json read as Medusa reads it: each of its keys becomes a key of the configuration, or is said to do nothing.

Relative paths start from the folder of the file. Names that begin with `_` are comments, as Medusa's users write them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from orchestrator.configuration.quantities import parse_integer
from orchestrator.configuration.yaml_tree import Location, Tree

PANIC_CODES: Final = {
    "failOnCompilerInsertedPanic": 0x00,
    "failOnAssertion": 0x01,
    "failOnArithmeticUnderflow": 0x11,
    "failOnDivideByZero": 0x12,
    "failOnEnumTypeConversionOutOfBounds": 0x21,
    "failOnIncorrectStorageAccess": 0x22,
    "failOnPopEmptyArray": 0x31,
    "failOnOutOfBoundsArrayAccess": 0x32,
    "failOnAllocateTooMuchMemory": 0x41,
    "failOnCallUninitializedVariable": 0x51,
}
MAX_CODE_SIZE: Final = 24_576
IMPLIED: Final[Mapping[str, Any]] = {"testMode": "medusa", "stopOnFail": True}
"""What Medusa does when its file says nothing, where the configuration's own default is another."""


@dataclass(frozen=True, slots=True)
class MedusaFile:
    """Values by configuration key, the place each has in the file, and what is to be said about the rest."""

    values: Mapping[str, Any]
    locations: Mapping[str, Location]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


class _Absent:
    """A value that leaves its key at the default."""


_ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class _Rule:
    """`key` is the configuration's key, empty for a key that does nothing: `unused` says why, unless it has Medusa's
    `default`. `convert` makes the value of `key`; ValueError holds what is allowed."""

    key: str = ""
    convert: Callable[[Any, Path], Any] = lambda value, _folder: value
    unused: str = ""
    default: Any = None


def _unless_zero(value: Any, _folder: Path) -> Any:
    return _ABSENT if value == 0 and value is not False else value


def _path(value: Any, folder: Path) -> Any:
    if not isinstance(value, str):
        return value
    return str(folder / value) if value else _ABSENT


def _unless_empty(value: Any, _folder: Path) -> Any:
    return _ABSENT if value in ("", [], {}) else value


def _address(value: Any) -> Any:
    """An address as Medusa allows it, with or without `0x`."""
    return value if not isinstance(value, str) or value[:2].lower() == "0x" else f"0x{value}"


def _addresses(value: Any, _folder: Path) -> Any:
    return [_address(each) for each in value] if isinstance(value, list) else value


def _address_by_name(value: Any, _folder: Path) -> Any:
    return {name: _address(each) for name, each in value.items()} if isinstance(value, dict) else value


def _balance(value: Any) -> Any:
    try:
        return parse_integer(value or 0)
    except ValueError:
        return value


def _balances(value: Any, _folder: Path) -> Any:
    return [_balance(each) for each in value] if isinstance(value, list) else value


def _inverse(value: Any, _folder: Path) -> Any:
    return not value if isinstance(value, bool) else value


def _code_size(value: Any, _folder: Path) -> Any:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return _ABSENT if value else MAX_CODE_SIZE


def _panic_codes(value: Any, _folder: Path) -> Any:
    if not isinstance(value, dict) or not all(isinstance(each, bool) for each in value.values()):
        raise ValueError(f"an object with true or false for {', '.join(PANIC_CODES)}")
    return [code for name, code in PANIC_CODES.items() if value.get(name, False)]


_NO_SLITHER = "Slither is not used: the compiler's syntax tree is read"
_NO_LOG = "the log is written as --log-format says"
_OWN_MEMORY = "workers keep their memory bounded by themselves"
_DISPLAY = "traces always show every call of a failing sequence"

_TESTING: Final = {
    "stopOnFailedTest": _Rule("stopOnFail"),
    "stopOnFailedContractMatching": _Rule(
        unused="a contract whose code is unknown never ends a campaign", default=False
    ),
    "stopOnNoTests": _Rule("requireTests"),
    "testAllContracts": _Rule("allContracts"),
    "testViewMethods": _Rule("excludeViewPure", _inverse),
    "verbosity": _Rule(unused=_DISPLAY, default=1),
    "traceAll": _Rule(unused=_DISPLAY, default=False),
    "onlyCallFromDeploymentOrder": _Rule(unused="targetContracts alone are called", default=False),
    "targetFunctionSignatures": _Rule("filterFunctions", _unless_empty),
    "excludeFunctionSignatures": _Rule("filterFunctions", _unless_empty),
    "assertionTesting.enabled": _Rule("assertionTests"),
    "assertionTesting.testViewMethods": _Rule("excludeViewPure", _inverse),
    "assertionTesting.panicCodeConfig": _Rule("panicCodes", _panic_codes),
    "assertionTesting.assertionModes": _Rule("panicCodes", _panic_codes),
    "propertyTesting.enabled": _Rule("propertyTests"),
    "propertyTesting.testPrefixes": _Rule("propertyPrefixes"),
    "optimizationTesting.enabled": _Rule("optimizationTests"),
    "optimizationTesting.testPrefixes": _Rule("optimizationPrefixes"),
}
_CHAIN: Final = {
    "codeSizeCheckDisabled": _Rule("codeSize", _code_size),
    "cheatCodes.cheatCodesEnabled": _Rule("cheatcodes"),
    "cheatCodes.enableFFI": _Rule("allowFFI"),
    "skipAccountChecks": _Rule(unused="nonces and the code of senders are never checked", default=True),
    "contractAddressOverrides": _Rule(unused="use predeployedContracts", default={}),
    "genesisStateFile": _Rule(unused="states of other chains are not loaded; fork the chain instead", default=""),
    "genesisContractMappings": _Rule(unused="states of other chains are not loaded", default={}),
    "forkConfig.forkModeEnabled": _Rule("", lambda value, _folder: value),
    "forkConfig.rpcUrl": _Rule("rpcUrl", _unless_empty),
    "forkConfig.rpcBlock": _Rule("rpcBlock"),
    "forkConfig.poolSize": _Rule(unused="connections are opened as they are needed", default=20),
}
_FUZZING: Final = {
    "workers": _Rule("workers"),
    "workerResetLimit": _Rule(unused=_OWN_MEMORY, default=50),
    "timeout": _Rule("timeout", _unless_zero),
    "testLimit": _Rule("testLimit", _unless_zero),
    "shrinkLimit": _Rule("shrinkLimit"),
    "callSequenceLength": _Rule("seqLen"),
    "pruneFrequency": _Rule(unused="the corpus is kept small all along", default=5),
    "corpusDirectory": _Rule("corpusDir", _path),
    "coverageEnabled": _Rule("coverage"),
    "coverageFormats": _Rule("coverageFormats"),
    "coverageExclusions": _Rule("coverageExcludes"),
    "revertReporterEnabled": _Rule(unused="reports always count the reverts of each function", default=False),
    "targetContracts": _Rule("targetContracts", _unless_empty),
    "deploymentOrder": _Rule("targetContracts", _unless_empty),
    "predeployedContracts": _Rule("predeployedContracts", _address_by_name),
    "targetContractsBalances": _Rule("targetContractsBalances", _balances),
    "constructorArgs": _Rule("constructorArgs"),
    "deployerAddress": _Rule("deployer", lambda value, _folder: _address(value)),
    "senderAddresses": _Rule("sender", _addresses),
    "blockNumberDelayMax": _Rule("maxBlockDelay"),
    "blockTimestampDelayMax": _Rule("maxTimeDelay"),
    "blockGasLimit": _Rule(
        unused="blocks have room for every call, and contracts see 125,000,000", default=125_000_000
    ),
    "transactionGasLimit": _Rule("testMaxGas"),
    **{f"testing.{name}": rule for name, rule in _TESTING.items()},
    **{f"chainConfig.{name}": rule for name, rule in _CHAIN.items()},
}
_COMPILATION: Final = {
    "platform": _Rule(unused="projects are compiled without crytic-compile", default="crytic-compile"),
    "platformConfig.target": _Rule("target", _path),
    "platformConfig.solcVersion": _Rule("solcVersion", _unless_empty),
    "platformConfig.exportDirectory": _Rule(unused="compilations are kept in Monotreme's cache", default=""),
    "platformConfig.args": _Rule("cryticArgs", _unless_empty),
}
_RULES: Final[Mapping[str, _Rule]] = {
    **{f"fuzzing.{name}": rule for name, rule in _FUZZING.items()},
    **{f"compilation.{name}": rule for name, rule in _COMPILATION.items()},
    "slither.useSlither": _Rule(unused=_NO_SLITHER, default=True),
    "slither.cachePath": _Rule(unused=_NO_SLITHER, default="slither_results.json"),
    "slither.args": _Rule(unused=_NO_SLITHER, default=[]),
    "logging.level": _Rule(unused=_NO_LOG, default="info"),
    "logging.logDirectory": _Rule(unused=_NO_LOG, default=""),
    "logging.noColor": _Rule(unused="the environment variable NO_COLOR turns colours off", default=False),
}
_SECTIONS: Final = frozenset(
    ".".join(name.split(".")[:depth]) for name in _RULES for depth in range(1, name.count(".") + 1)
)


def is_medusa(value: Any) -> bool:
    """Return whether a document is Medusa's configuration: everything of it lies below `fuzzing`."""
    return isinstance(value, dict) and "fuzzing" in value and not any(key in value for key in ("testMode", "testLimit"))


def read_medusa(tree: Tree, path: Path) -> MedusaFile:
    """The configuration that a file of Medusa's means. `tree` is its document, a mapping."""
    return _Reader(tree, path).read()


class _Reader:
    def __init__(self, tree: Tree, path: Path) -> None:
        self._tree = tree
        self._path = path
        self._values: dict[str, Any] = {}
        self._locations: dict[str, Location] = {}
        self._problems: list[str] = []
        self._warnings: list[str] = [
            f"{path}:{line}: {key}: given twice, the last counts" for key, line in tree.repeated
        ]
        self._notes: list[str] = []

    def read(self) -> MedusaFile:
        for location, name, value in self._known(self._tree.value, ()):
            self._apply(location, name, value)
        self._relate()
        values = {**IMPLIED, **self._values}
        return MedusaFile(values, self._locations, tuple(self._problems), tuple(self._warnings), tuple(self._notes))

    def _known(self, node: Mapping[str, Any], above: Location) -> Iterator[tuple[Location, str, Any]]:
        for key, value in node.items():
            location = (*above, key)
            name = ".".join(map(str, location))
            if name in _RULES:
                if value is not None:
                    yield location, name, value
            elif name in _SECTIONS and isinstance(value, dict):
                yield from self._known(value, location)
            elif name in _SECTIONS:
                if value is not None:
                    self._problems.append(f"{self._place(location)}: {name}: must be an object")
            elif not key.startswith("_"):
                self._warnings.append(f"{self._place(location)}: {name}: unknown key, ignored{_hint(name)}")

    def _apply(self, location: Location, name: str, value: Any) -> None:
        rule = _RULES[name]
        if rule.unused:
            if value != rule.default:
                self._notes.append(f"{self._place(location)}: {name} has no effect: {rule.unused}")
            return
        try:
            converted = rule.convert(value, self._path.parent)
        except ValueError as error:
            self._problems.append(f"{self._place(location)}: {name}: expected {error}")
            return
        if rule.key and converted is not _ABSENT:
            if name.endswith("FunctionSignatures") and "filterFunctions" in self._values:
                self._problems.append(f"{self._place(location)}: {name}: only one of target and exclude may be given")
            self._values[rule.key] = converted
            self._locations[rule.key] = location

    def _relate(self) -> None:
        """Keys of Medusa's whose meaning depends on others."""
        if self._at("fuzzing", "testing", "targetFunctionSignatures"):
            self._values["filterBlacklist"] = False
            self._locations["filterBlacklist"] = self._locations["filterFunctions"]
        if self._at("fuzzing", "chainConfig", "forkConfig", "forkModeEnabled") is not True:
            for key in ("rpcUrl", "rpcBlock"):
                self._values.pop(key, None)
        if "testMaxGas" in self._values:
            self._imply("propMaxGas", "testMaxGas", self._values["testMaxGas"])
        senders = self._values.get("sender")
        if isinstance(senders, list) and senders:
            self._imply("psender", "sender", senders[0])
        prefixes = self._values.get("propertyPrefixes")
        if isinstance(prefixes, list) and prefixes and isinstance(prefixes[0], str):
            self._imply("prefix", "propertyPrefixes", prefixes[0])
        if not {"timeout", "testLimit"} & self._values.keys():
            self._notes.append(
                f"{self._path}: without timeout and testLimit Medusa runs for ever; this campaign has Monotreme's"
                " limit unless --timeout or --test-limit gives another"
            )

    def _imply(self, key: str, source: str, value: Any) -> None:
        self._values[key] = value
        self._locations[key] = self._locations[source]

    def _at(self, *location: str) -> Any:
        node = self._tree.value
        for key in location:
            node = node.get(key) if isinstance(node, dict) else None
        return node

    def _place(self, location: Location) -> str:
        return f"{self._path}:{self._tree.lines.get(location, 1)}"


def _hint(name: str) -> str:
    last = {known.rpartition(".")[2].lower(): known for known in _RULES}
    near = get_close_matches(name.rpartition(".")[2].lower(), last, n=1, cutoff=0.75)
    return f"; did you mean {last[near[0]]}?" if near else ""
