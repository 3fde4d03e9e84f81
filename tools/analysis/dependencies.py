"""`dependencies`: does a package exist on npm, as the user's own npm sees the registry?"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from actors.runtime.errors import ProcessLimitExceeded, ProcessNotStarted
from tools.analysis.answers import Stopwatch, result_schema
from tools.analysis.programs import RunProgram
from tools.errors import ErrorCode, ToolError
from tools.publishing import looking
from tools.tool import Answer, Deadline, Family, JsonObject, Tool, ToolInput

SECONDS = 4.5
FIELDS = ("name", "version", "description", "deprecated", "license", "time.modified")
ABSENT = frozenset(("E404", "E405", "ETARGET", "ENOVERSIONS"))
REMOTE = (
    *("E4", "E5", "EAI_", "ECONN", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EPIPE", "EPROTO", "ETIMEDOUT"),
    *("ERR_SOCKET", "ERR_TLS", "CERT_", "DEPTH_ZERO", "SELF_SIGNED", "UNABLE_TO_", "EOTP", "ENEEDAUTH"),
)
"""Beginnings of npm's codes for what the registry, or the way to it, answered."""
MAX_TEXT_LENGTH = 500

MAX_NAME_LENGTH = 214
_PART = r"[a-z0-9~][a-z0-9._~-]*"
_NAME = re.compile(rf"(?:@{_PART}/)?{_PART}")
_RESERVED = frozenset(("node_modules", "favicon.ico"))
WELL_KNOWN = frozenset(json.loads(Path(__file__).with_name("well_known_packages.json").read_text("utf-8")))


class DependenciesInput(ToolInput):
    """Arguments of `dependencies`."""

    package_name: Annotated[
        str, Field(alias="packageName", min_length=1, max_length=1000, description="npm package name to check")
    ]


def dependencies_tool(run: RunProgram, *, enabled: bool = True) -> Tool[DependenciesInput]:
    """The tool; `run` starts npm. With `enabled` false it says that the configuration forbids the network."""

    async def check(arguments: DependenciesInput) -> Answer:
        watch = Stopwatch()
        name = arguments.package_name
        if not is_possible(name):
            bare = without_version(name)
            reason = {"reason": f"a name has no version: ask for {bare}"} if bare is not None else {}
            return watch.answer(exists=False, **reason)
        if not enabled:
            raise ToolError(ErrorCode.INVALID_INPUT, "the configuration does not allow asking the npm registry")
        found = await _view(run, name)
        hint = {"similarTo": list(similar)} if (similar := similar_names(name)) else {}
        return watch.answer(**({"exists": False} if found is None else found), **hint)

    return looking(
        "dependencies",
        (
            "Asks the npm registry, through your npm configuration, whether a package exists. Use it before you add a"
            " dependency. Returns exists, version, description, deprecated, and similarTo: well-known packages with"
            " nearly that name."
        ),
        (
            DependenciesInput,
            result_schema(
                exists={"type": "boolean"},
                version={"type": "string"},
                description={"type": "string"},
                deprecated={"type": "string"},
                license={"type": "string"},
                reason={"type": "string"},
                similarTo={"type": "array", "items": {"type": "string"}},
            ),
        ),
        check,
        family=Family.ANALYSIS,
        title="Check an npm package",
        deadline=Deadline.ANALYSIS,
        open_world=True,
    )


async def _view(run: RunProgram, name: str) -> JsonObject | None:
    """Output of `npm view` for the package; None when there is none."""
    argv = ["npm", "view", "--json", "--fetch-retries=0", "--no-update-notifier", "--", name, *FIELDS]
    try:
        output = await run(argv, b"", SECONDS)
        answer = json.loads(output)
    except ProcessNotStarted as error:
        raise ToolError(ErrorCode.INTERNAL_ERROR, "packages are looked up by npm, which is not installed") from error
    except ProcessLimitExceeded as error:
        raise ToolError(ErrorCode.INTERNAL_ERROR, f"Network error checking npm registry: {_text(error)}") from error
    except ValueError as error:
        said = _text(output.decode("utf-8", "replace").strip()) if output.strip() else "it said nothing"
        raise ToolError(ErrorCode.INTERNAL_ERROR, f"npm does not work: it printed no JSON: {said}") from error
    if isinstance(answer, list):
        answer = answer[-1] if answer else {}
    failure = answer.get("error") if isinstance(answer, dict) else {"summary": "an answer in an unknown form"}
    if failure is None:
        return _described(answer)
    if failure.get("code") in ABSENT:
        return None
    is_remote = str(failure.get("code", "")).startswith(REMOTE)
    what = "Network error checking npm registry" if is_remote else "npm does not work"
    raise ToolError(ErrorCode.INTERNAL_ERROR, f"{what}: {_text(failure.get('summary') or failure)}")


def _described(answer: dict[str, Any]) -> JsonObject:
    known = {key: answer[key][:MAX_TEXT_LENGTH] for key in FIELDS if isinstance(answer.get(key), str) and key != "name"}
    modified = known.pop("time.modified", None)
    return {"exists": True, "description": "", **known, **({"modified": modified} if modified else {})}


def _text(value: object) -> str:
    return (str(value) or type(value).__name__)[:MAX_TEXT_LENGTH]


def is_possible(name: str) -> bool:
    """True if npm would accept a package of this name."""
    return len(name) <= MAX_NAME_LENGTH and name not in _RESERVED and _NAME.fullmatch(name) is not None


def without_version(name: str) -> str | None:
    """The name in `name@version`, None where nothing possible stands before a version, a range or a tag."""
    bare, marked, _ = name[1:].partition("@")
    bare = name[:1] + bare
    return bare if marked and is_possible(bare) else None


def similar_names(name: str) -> tuple[str, ...]:
    """Well-known packages that `name` differs from by one slip: a letter more, less, changed or swapped, or `-._`."""
    if name in WELL_KNOWN:
        return ()
    plain = re.sub(r"[-._]", "", name)
    return tuple(
        sorted(
            known
            for known in WELL_KNOWN
            if (len(known) > 3 and _is_one_slip(name, known))
            or (plain == re.sub(r"[-._]", "", known) and len(plain) > 3)
        )
    )


def _is_one_slip(first: str, second: str) -> bool:
    """True if one edit, or one swap of neighbours, turns one into the other (Damerau-Levenshtein distance 1)."""
    if abs(len(first) - len(second)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    rest, other = first[at:], second[at:]
    if len(rest) == len(other):
        return rest[1:] == other[1:] or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    return rest[1:] == other if len(rest) > len(other) else rest == other[1:]
