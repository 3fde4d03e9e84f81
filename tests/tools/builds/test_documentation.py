"""docs/builds.md: its session and its example of a plugin agree with the tools."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors.processes.runner import ProcessRunner
from tests.support.parser_bench import parsed
from tools.builds import schemas
from tools.builds.context import BuildContext
from tools.builds.plugins import PLUGINS
from tools.builds.table import TOOLS as BUILD_TOOLS
from tools.errors import ToolError
from tools.registry import ToolRegistry, tools_of
from tools.validation import validated

PAGE = (Path(__file__).parents[3] / "docs" / "builds.md").read_text(encoding="utf-8")
REGISTRY = ToolRegistry(tools_of(BUILD_TOOLS, BuildContext.of(ProcessRunner(), (Path.cwd(),))))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_session_has_the_form_of_answers() -> None:
    """Calls are accepted, answers fit the published schemas."""
    calls = re.findall(r"^    (\w+) (\{.*\})$", PAGE, re.MULTILINE)
    answers = blocks("json")
    assert len(calls) == len(answers)
    for (name, arguments), answer in zip(calls, answers, strict=True):
        tool = REGISTRY.find(name)
        validated(tool.arguments, json.loads(arguments))
        assert tool.output_schema is not None
        jsonschema.validate(json.loads(answer), tool.output_schema)


def test_the_example_of_a_plugin_works() -> None:
    """As it is printed."""
    (code,) = blocks("python")
    names: dict[str, Any] = {}
    exec(compile(code, "docs/builds.md", "exec"), names)
    (found,) = parsed(names["PLUGIN"], b"   Compiling app\nsrc/main.rs:3:9: error: mismatched types\n").diagnostics
    assert (found.tool, found.severity, found.file, found.line) == ("cargo.build", "error", "src/main.rs", 3)
    assert (found.byte_offsets.start, found.byte_offsets.end) == (17, 57)


def test_every_code_is_explained() -> None:
    """The codes of answers and of refusals stand in the table of codes."""
    root = Path(__file__).parents[3]
    text = "".join(source.read_text() for source in root.glob("tools/builds/*.py"))
    codes = set(re.findall(r'(?:reason=|: |, |else |if )"([A-Z]{3,}(?:_[A-Z]+)*)"', text)) - {"PATH"}
    assert codes >= {"TIMEOUT", "INVALID_CWD", "BUSY"}
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()


def test_plugins_describe_themselves_briefly() -> None:
    """A description is sent in every session: what is run, what comes back, what is needed."""
    for plugin in PLUGINS:
        assert 40 < len(plugin.description) < 160
        assert plugin.program in plugin.description
        assert plugin.mutates is ("confirmed: true" in plugin.description)
    assert {plugin.name for plugin in PLUGINS if plugin.mutates} == {"npm.install", "pnpm.install", "bun.install"}
    assert schemas.BUILD["additionalProperties"] is False


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["args", "cwd", "waitSeconds", "timeoutSeconds", "confirmed", "runId", "offset", "length", "startLine", "lineCount",
     "tool", "status", "limit", "wait_seconds", "x"]
)  # fmt: skip


@given(tool=st.sampled_from(REGISTRY.get_all_tools()), arguments=st.dictionaries(KEYS, VALUES, max_size=4))
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_any_arguments_are_taken_or_refused(tool: Any, arguments: dict[str, Any]) -> None:
    """With one typed error that has a bounded message; unknown keys are always refused."""
    known = {field.alias or name for name, field in tool.arguments.model_fields.items()}
    try:
        validated(tool.arguments, arguments)
    except ToolError as error:
        refusal = error
    else:
        assert set(arguments) <= known
        return
    assert refusal.code == "INVALID_INPUT"
    assert len(refusal.message) < 2_000
