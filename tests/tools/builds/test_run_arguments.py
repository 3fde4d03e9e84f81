"""Refusals of a build tool: commands, folders, arguments, unknown runs."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.support.build_bench import BuildBench
from tools.builds.arguments import check_arguments
from tools.builds.plugins import PLUGINS

pytestmark = pytest.mark.integration


@pytest.mark.requirement("003-13", "X4")
async def test_a_missing_command_is_one_error_without_a_place(bench: BuildBench) -> None:
    """No file, no line, no run."""
    answer = await bench.call("slither_analyze")
    assert not answer["success"]
    (error,) = answer["errors"]
    assert error["message"].startswith("Command not found: slither")
    assert not {"file", "line", "column"} & set(error)
    assert answer["runId"] == ""


@pytest.mark.requirement("003-14", "003-D3")
async def test_a_forbidden_command_is_permission_denied(bench: BuildBench) -> None:
    """Whether the mode or the kernel forbids it."""
    bench.program("slither", "", mode=0o644)
    assert [each["code"] for each in (await bench.call("slither_analyze"))["errors"]] == ["PERMISSION_DENIED"]
    file = bench.program("dotnet", "")
    file.write_text("#!/no/such/interpreter\n")
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["COMMAND_NOT_STARTED"]
    file.write_text(f"#!{bench.project}\n")  # the kernel refuses to execute a folder
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["PERMISSION_DENIED"]


@pytest.mark.requirement("003-D3", "003-D4")
@pytest.mark.parametrize("tool", ["npm_install", "pnpm_install", "bun_install"])
async def test_installs_ask_for_confirmation_first(bench: BuildBench, tool: str) -> None:
    """Nothing runs without `confirmed: true`; the answer says what would."""
    program = tool.partition("_")[0]
    bench.program(program, "open('ran', 'w')")
    for confirmed in ({}, {"confirmed": False}):
        answer = await bench.call(tool, args=["left-pad"], **confirmed)
        assert answer["errors"][0]["code"] == "PERMISSION_DENIED"
        assert answer["errors"][0]["message"] == "Operation cancelled: confirmation required"
        assert answer["runId"] == ""
        asked = {key: answer[key] for key in ("confirmation_required", "tool", "args", "cwd")}
        cwd = str(bench.project.resolve())
        assert asked == {"confirmation_required": True, "tool": f"{program}.install", "args": ["left-pad"], "cwd": cwd}
        assert not (bench.project / "ran").exists()
    assert (await bench.call(tool, args=["left-pad"], confirmed=True))["success"]
    assert (bench.project / "ran").exists()
    assert (await bench.refusal("dotnet_build", confirmed=True)).message.startswith("confirmed is not a known argument")


@pytest.mark.requirement("X11")
@pytest.mark.parametrize("cwd", ["..", "/", "/etc", "nowhere", "link", "../project-sibling", "a\0b"])
async def test_commands_stay_inside_the_roots(bench: BuildBench, cwd: str) -> None:
    """Parents, links, siblings with the same beginning, and folders that do not exist: INVALID_CWD."""
    (bench.project / "link").symlink_to("/tmp")
    (bench.project.parent / "project-sibling").mkdir()
    bench.program("dotnet", "open('ran', 'w')")
    error = await bench.refusal("dotnet_build", cwd=cwd)
    assert error.details["reason"] == "INVALID_CWD"
    assert (await bench.call("run_list"))["total"] == 0


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("eslint_lint", ["--config", "x"]), ("eslint_lint", ["-c", "x"]), ("eslint_lint", ["-cx"]),
        ("eslint_lint", ["--rulesdir=x"]), ("eslint_lint", ["--plugin", "x"]),
        ("eslint_lint", ["--resolve-plugins-relative-to", "x"]), ("eslint_lint", ["-o", "x"]),
        ("npm_install", ["--prefix=/tmp"]), ("npm_install", ["-g"]), ("pnpm_install", ["-C", "x"]),
        ("bun_install", ["--cwd", "x"]), ("forge_test", ["--ffi"]), ("forge_build", ["--use", "/bin/sh"]),
        ("forge_build", ["--root=."]), ("pytest_run", ["-p", "x"]), ("slither_analyze", ["--json", "x"]),
        ("dotnet_build", ["/etc/passwd"]), ("dotnet_build", ["../other/App.csproj"]),
        ("npm_install", ["--glob"]), ("npm_install", ["-gD"]), ("npm_install", ["file:../../x"]),
        ("npm_install", ["~/x"]), ("slither_analyze", ["--js=x"]), ("pytest_run", ["-pno:x"]),
        ("dotnet_build", ["--output=/usr/x"]), ("solc_compile", ["src/../../x.sol"]),
        ("solc_compile", ["@oz/=/etc/"]), ("solc_compile", ["-o/tmp/x"]), ("dotnet_build", ["link/App.csproj"]),
        ("eslint_lint", ["link"]), ("slither_analyze", ["--solc", "/bin/sh"]),
    ],
)  # fmt: skip
async def test_some_arguments_are_refused(bench: BuildBench, tool: str, args: list[str]) -> None:
    """Options that load foreign code or leave the folder, and paths outside the roots: nothing runs."""
    (bench.project / "link").symlink_to(bench.programs)
    bench.program("App.csproj", "")
    error = await bench.refusal(tool, args=args)
    assert error.details["reason"] == "BLOCKED_ARGUMENT"
    assert (await bench.call("run_list"))["total"] == 0


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("eslint.lint", ("--parser-options=x", "src", "--cache", "--fix")),
        ("pytest.run", ("--co", "-k", "a or b", "-x", "tests/test_a.py::test_b[../c]")),
        (
            "slither.analyze",
            (".", "--solc-remaps", "x=y", "--exclude-low", "--detect", "x", "--solc-args", "a"),
        ),
        ("npm.install", ("--prefer-offline", "a@^1.0.0", "file:./local")),
        ("dotnet.build", ("/p:X=/etc", "/nologo", "-c", "Release")),
        ("forge.test", ("-vvv", "--match-path", "test/*.sol")),
        ("solc.compile", ("--bin", "src/../A.sol", "@openzeppelin/=lib/oz/")),
    ],
)
def test_ordinary_arguments_are_taken(tmp_path: Path, tool: str, args: tuple[str, ...]) -> None:
    """What only resembles a refused option or a path outside."""
    (plugin,) = (each for each in PLUGINS if each.name == tool)
    check_arguments(plugin, args, (tmp_path.resolve(),), tmp_path.resolve())


@pytest.mark.requirement("X5", "X6", "003-2")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"args": "x"}, "args must be a list"), ({"args": [1]}, "args[0] must be a valid string"),
        ({"cwd": 1}, "cwd must be a valid string"), ({"shell": True}, "shell is not a known argument"),
        ({"waitSeconds": 56}, "waitSeconds must be less than or equal to 55"),
        ({"waitSeconds": -1}, "waitSeconds must be greater than or equal to 0"),
        ({"args": ["a\0b"]}, "args[0] must not contain a NUL"),
        ({"args": ["x"] * 257}, "args must have at most 256 items"),
        ({"args": ["x" * 8193]}, "args[0] "),
    ],
)  # fmt: skip
async def test_bad_arguments_are_named(bench: BuildBench, arguments: dict[str, Any], said: str) -> None:
    """Each with its field and the allowed form; values are not echoed at length."""
    error = await bench.refusal("dotnet_build", **arguments)
    assert error.code == "INVALID_INPUT"
    assert said in error.message
    assert len(error.message) < 500


@pytest.mark.requirement("003-D7", "003-16", "X3")
async def test_unknown_runs_are_not_found(bench: BuildBench) -> None:
    """Malformed ids as well as unknown ones, for every tool on runs, by either spelling."""
    for run_id in ("abc123", "e5f6g7h8-...", "../../../etc", str(uuid.uuid4()), ""):
        for tool in ("run_raw", "run.raw", "run_status", "run_cancel"):
            error = await bench.refusal(tool, runId=run_id)
            assert error.details["reason"] == "RUN_NOT_FOUND"
        for tool in ("run_logRange", "run.logRange"):
            error = await bench.refusal(tool, runId=run_id, startLine=1, lineCount=1)
            assert error.details["reason"] == "RUN_NOT_FOUND"
