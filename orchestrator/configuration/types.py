"""Types of configuration values. Each carries, for error messages and the reference, the form it allows."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, StrictBool, StrictStr, ValidationInfo

from orchestrator.configuration.clamps import FORM as CLAMP_FORM
from orchestrator.configuration.clamps import read_clamps
from orchestrator.configuration.quantities import (
    ADDRESS_MAX,
    INT64_MAX,
    WORD_MAX,
    parse_bounded,
    parse_hex_bytes,
)
from orchestrator.report.formats import COVERAGE_FORMATS, REPORT_FORMATS, coverage_format
from simulator.endpoint import parse_endpoints
from simulator.errors import ChainError
from simulator.modes.table import listed_names, mode_name
from tools.campaign.extensions.clamp_form import ClampFunctionInput
from tools.profiles import ALLOWED as ALLOWED_PROFILES
from tools.profiles import checked_profile

TEXTS_ARE_NUMBERS: Final = "texts are numbers"
"""The validation context of flags and environment variables, which cannot tell `7` from `"7"`."""

_MAX_CAMPAIGN_SECONDS = 10 * 365 * 86_400
# JSON readers keep integers exact up to here.
_EXACT_JSON = 1 << 53
# The made-up accounts that users write as small numbers.
_SHORT_ADDRESS = 1 << 32


@dataclass(frozen=True, slots=True)
class Allowed:
    """The form of a value, put so that it can follow the word "expected"."""

    text: str


def allowed_text(annotation: Any) -> str:
    """The allowed form of a field's type: its own `Allowed`, or that of the first part that has one."""
    for part in get_args(annotation):
        if isinstance(part, Allowed):
            return part.text
    for part in get_args(annotation):
        if text := allowed_text(part):
            return text
    return ""


def _whole_number(low: int, high: int, *, hexadecimal_text: bool = False) -> BeforeValidator:
    """Reads a whole number. A text is one only in a layer of texts, or where 0x texts are allowed and it is one."""

    def parse(value: object, info: ValidationInfo) -> int:
        is_hexadecimal = isinstance(value, str) and value.strip().lower().startswith("0x")
        if isinstance(value, str) and not info.context and not (hexadecimal_text and is_hexadecimal):
            raise ValueError("a text")
        return parse_bounded(value, low, high)

    return BeforeValidator(parse)


def _parse_seconds(value: object, info: ValidationInfo) -> float:
    if isinstance(value, str) and info.context and len(value) < 30:
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MAX_CAMPAIGN_SECONDS:
        raise ValueError("not a number of seconds")
    return value


def _parse_fraction(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("not a fraction")
    return float(value)


def _check_deployment_address(address: int) -> int:
    if address <= 0x11 or address == 0x100:
        raise ValueError("the address of a precompile")
    return address


def _check_arguments(value: str) -> str:
    shlex.split(value)
    return value


def _check_urls(value: str) -> str:
    try:
        if value:  # an empty environment variable means none
            parse_endpoints(value)
    except ChainError as error:
        raise ValueError(str(error)) from None
    return value


def _check_report_format(name: str) -> str:
    if name not in REPORT_FORMATS:
        raise ValueError("not a format of the report")
    return name


def _check_coverage_format(name: str) -> str:
    """The format's own name for any of its names."""
    if (found := coverage_format(name)) is None:
        raise ValueError("not a format of coverage files")
    return found.name


def listed(names: Iterable[str], last: str) -> str:
    """`a, b or c`."""
    *rest, final = names
    return f"{', '.join(rest)} {last} {final}"


def _show_address(address: int) -> str:
    return hex(address) if address < _SHORT_ADDRESS else f"0x{address:040x}"


def _show_word(number: int) -> int | str:
    return number if number < _EXACT_JSON else hex(number)


def _show_bytes(data: bytes) -> str:
    return "0x" + data.hex()


Flag = Annotated[StrictBool, Allowed("true or false")]


def _as_list(value: object) -> object:
    """One text, or none, as the list that it stands for."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


def _show_names(names: tuple[str, ...]) -> str | list[str] | None:
    return list(names) if len(names) > 1 else next(iter(names), None)


Text = Annotated[StrictStr, Allowed("a text")]
Arguments = Annotated[
    StrictStr, AfterValidator(_check_arguments), Allowed("one text of arguments, with quotes closed as in a shell")
]
NodeUrls = Annotated[
    StrictStr, AfterValidator(_check_urls), Allowed("http:// or https:// URLs, separated by commas, at most 16")
]
NodeUrlList = Annotated[
    tuple[Annotated[StrictStr, AfterValidator(_check_urls)], ...], Allowed("a list of http:// or https:// URLs")
]
Texts = Annotated[tuple[StrictStr, ...], Allowed("a list of texts")]
ContractNames = Annotated[
    tuple[StrictStr, ...],
    BeforeValidator(_as_list),
    PlainSerializer(_show_names, when_used="json"),
    Allowed("a text or a list of texts"),
]
Count = Annotated[
    int,
    _whole_number(0, INT64_MAX),
    Allowed("a whole number from 0 to 2^63-1"),
]
PositiveCount = Annotated[
    int,
    _whole_number(1, INT64_MAX),
    Allowed("a whole number from 1 to 2^63-1"),
]
MebiBytes = Annotated[int, _whole_number(0, 1 << 30), Allowed("a whole number of MiB from 0 to 2^30")]
PositiveMebiBytes = Annotated[int, _whole_number(1, 1 << 30), Allowed("a whole number of MiB from 1 to 2^30")]
Days = Annotated[int, _whole_number(0, 36_500), Allowed("a whole number of days from 0 to 36500")]
CommandCount = Annotated[int, _whole_number(1, 1_000), Allowed("a whole number from 1 to 1000")]
SequenceLength = Annotated[int, _whole_number(1, 100_000), Allowed("a whole number from 1 to 100000")]
ALL_CORES: Final = 0
"""The number of workers that stands for `max`: one for each core of the executor."""
_count_of_workers = _whole_number(1, 255)


def _parse_workers(value: object, info: ValidationInfo) -> object:
    return ALL_CORES if value == "max" else _count_of_workers.func(value, info)  # type: ignore[call-arg]


CampaignCount = Annotated[int, _whole_number(1, 16), Allowed("a whole number from 1 to 16")]
WorkerCount = Annotated[
    int,
    BeforeValidator(_parse_workers),
    PlainSerializer(lambda count: "max" if count == ALL_CORES else count),
    Allowed("a whole number from 1 to 255, or max for one for each core"),
]
RayAddress = Annotated[str, Allowed("a text, HOST:PORT")]
ExecutorName = Annotated[Literal["local", "ray"], Allowed("local or ray")]
Weight = Annotated[int, _whole_number(0, 1_000_000)]
Weights = Annotated[
    tuple[Weight, Weight, Weight, Weight], Allowed("a list of four whole numbers, each from 0 to 1000000")
]
Seconds = Annotated[
    float, BeforeValidator(_parse_seconds), Allowed("a number of seconds, more than 0, up to ten years")
]
Fraction = Annotated[float, BeforeValidator(_parse_fraction), Allowed("a number from 0 to 1")]
Word = Annotated[
    int,
    _whole_number(0, WORD_MAX, hexadecimal_text=True),
    PlainSerializer(_show_word, when_used="json"),
    Allowed("a whole number from 0 to 2^256-1, also as a 0x text"),
]
Address = Annotated[
    int,
    _whole_number(0, ADDRESS_MAX, hexadecimal_text=True),
    PlainSerializer(_show_address, when_used="json"),
    Allowed("an address of at most 20 bytes, as a number or a 0x text"),
]
Addresses = Annotated[
    tuple[Address, ...],
    Field(min_length=1),
    Allowed("a list of at least one address of at most 20 bytes, each as a number or a 0x text"),
]
DeploymentAddress = Annotated[
    int,
    _whole_number(0, ADDRESS_MAX, hexadecimal_text=True),
    AfterValidator(_check_deployment_address),
    PlainSerializer(_show_address, when_used="json"),
    Allowed("an address of at most 20 bytes that is no precompile's (0x0 to 0x11, 0x100)"),
]
HexBytes = Annotated[
    bytes, BeforeValidator(parse_hex_bytes), PlainSerializer(_show_bytes, when_used="json"), Allowed("hexadecimal text")
]
ContractDeployments = Annotated[
    tuple[tuple[DeploymentAddress, StrictStr], ...],
    Allowed('a list of pairs [address, "ContractName"], addresses other than a precompile\'s'),
]
BytecodeDeployments = Annotated[
    tuple[tuple[DeploymentAddress, HexBytes], ...],
    Allowed('a list of pairs [address, "hexadecimal creation code"], addresses other than a precompile\'s'),
]
TestModeName = Annotated[StrictStr, AfterValidator(mode_name), Allowed(listed_names())]
Words = Annotated[tuple[Word, ...], Allowed("a list of whole numbers from 0 to 2^256-1, also as 0x texts")]
AddressesByName = Annotated[
    dict[StrictStr, DeploymentAddress],
    Allowed('names of contracts with addresses other than a precompile\'s, as {"Name": "0x1234"}'),
]
ArgumentsByName = Annotated[
    dict[StrictStr, dict[StrictStr, Any] | list[Any]],
    Allowed('names of contracts with their arguments, as {"Name": {"parameter": "1"}}'),
]
Clamps = Annotated[
    tuple[ClampFunctionInput, ...],
    BeforeValidator(read_clamps),
    Field(max_length=256),
    Allowed(f"a list of clamps: objects with function, arguments and senders, or texts {CLAMP_FORM}"),
]
PanicCode = Annotated[int, _whole_number(0, 0xFF, hexadecimal_text=True)]
PanicCodes = Annotated[tuple[PanicCode, ...], Allowed("a list of panic codes, such as [0x01, 0x11]")]
Prefixes = Annotated[
    tuple[Annotated[StrictStr, Field(min_length=1)], ...], Field(min_length=1), Allowed("a list of at least one prefix")
]
CorpusFormatName = Annotated[Literal["echidna", "medusa", "forge"], Allowed("echidna, medusa or forge")]
SeedTests = Annotated[Literal["build", "project", "none"], Allowed("build, project or none")]
ReportFormat = Annotated[StrictStr, AfterValidator(_check_report_format), Allowed(listed(REPORT_FORMATS, "or"))]
CoverageFormats = Annotated[
    tuple[Annotated[StrictStr, AfterValidator(_check_coverage_format)], ...],
    Allowed(f"a list of {listed(COVERAGE_FORMATS, 'and')}"),
]
SmtSolver = Annotated[Literal["bitwuzla", "z3", "cvc5"], Allowed("bitwuzla, z3 or cvc5")]
RequiredHealth = Annotated[Literal["sound"], Allowed("sound")]
Port = Annotated[int, _whole_number(0, 65_535), Allowed("a whole number from 0 to 65535")]
Milliseconds = Annotated[int, _whole_number(1, 3_600_000), Allowed("a whole number from 1 to 3600000")]
CodebaseEmbedder = Annotated[Literal["subwords", "minilm", "fastembed"], Allowed("subwords, minilm or fastembed")]
McpAuth = Annotated[Literal["token", "none"], Allowed("token or none")]
ToolGroup = Literal["campaign", "coverage", "builds", "analysis", "codebase"]
ToolGroups = Annotated[tuple[ToolGroup, ...], Allowed("a list of campaign, coverage, builds, analysis and codebase")]
McpTools = Annotated[StrictStr, AfterValidator(checked_profile), Allowed(ALLOWED_PROFILES)]
ToolNameStyle = Annotated[Literal["underscore", "dotted"], Allowed("underscore or dotted")]
