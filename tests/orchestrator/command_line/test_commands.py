"""The command tree, `config show`, and the boundary around both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.command_line.entry import run, without_runtime_options
from orchestrator.configuration.layers import file_layer
from orchestrator.configuration.resolve import resolve
from orchestrator.configuration.settings_adapter import campaign_settings
from tests.support.patience import PATIENCE

CONFIGURATION = """\
seqLen: 7
multi-abi: true
maxValue: 1e18
sender: [0x10000, "0x00a329c0648769a73afac7f9381e08fb43dbea72"]
deployBytecodes: [[0x5000, "0x6001"]]
symExec: true
timeout: 5
"""


@pytest.fixture(autouse=True)
def _no_variables_of_echidna(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ECHIDNA_RPC_URL", "ECHIDNA_RPC_BLOCK", "ETHERSCAN_API_KEY", "MONOTREME_DEBUG"):
        monkeypatch.delenv(name, raising=False)


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """The first thing a new user types teaches the commands."""
    assert run([]) == 0
    output = capsys.readouterr().out
    assert "fuzz " in output
    assert "config " in output


def test_the_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    """`monotreme --version` prints name and number."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("monotreme 0.")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["A.sol"], "To fuzz it: monotreme fuzz A.sol"),
        (["."], "To fuzz it: monotreme fuzz ."),
        (["fuz", "A.sol"], "Did you mean 'fuzz'?"),
        (["xyzzy"], "Commands: fuzz, mcp, serve, replay-commands, mutate, config"),
        (["config", "sow"], "Did you mean 'show'?"),
    ],
)
def test_a_wrong_command_gets_a_hint(capsys: pytest.CaptureFixture[str], arguments: list[str], hint: str) -> None:
    """Exit code 2, and what was probably meant."""
    assert run(arguments) == 2
    assert hint in capsys.readouterr().err


def test_a_group_without_a_command_shows_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr, because nothing was done."""
    assert run(["config"]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert "show" in errors


def test_help_and_version_import_nothing_heavy() -> None:
    """Neither trio nor pydantic, rich, numba, structlog or yaml is loaded before a command runs."""
    script = (
        "import sys\n"
        "from orchestrator.command_line.entry import run\n"
        "run(['--help']); run(['fuzz', '--help']); run(['config', 'show', '--help'])\n"
        "heavy = {'trio', 'pydantic', 'rich', 'numba', 'numpy', 'structlog', 'yaml', 'mcp', 'msgspec'}\n"
        "sys.stderr.write(' '.join(sorted(heavy & set(sys.modules))))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stderr == ""


def test_a_report_nobody_reads_ends_quietly(tmp_path: Path) -> None:
    """`monotreme ... | head -0`: no traceback, also not from Python's last flush."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "orchestrator", "config", "show", "--format", "json"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE)
    os.close(write)
    assert (done.returncode, done.stderr) == (3, "")


def test_config_show_prints_a_file_that_means_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its output, saved and loaded, gives the same configuration."""
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(CONFIGURATION)
    assert run(["config", "show", "--config", "a.yaml"]) == 0
    Path("b.yaml").write_text(capsys.readouterr().out)
    first, second = (resolve([file_layer(Path(name))]) for name in ("a.yaml", "b.yaml"))
    assert first.configuration == second.configuration
    assert second.warnings == ()


def test_config_show_names_the_source_of_each_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """File and line, environment variable or default, as text and as JSON."""
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(CONFIGURATION)
    monkeypatch.setenv("ECHIDNA_RPC_BLOCK", "5")
    run(["config", "show", "--config", "a.yaml"])
    lines = {line.split(":")[0]: " ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    assert lines["seqLen"] == "seqLen: 7 # a.yaml:1"
    assert lines["allContracts"] == "allContracts: true # a.yaml:2"
    assert lines["maxValue"] == "maxValue: 1000000000000000000 # a.yaml:3"
    assert lines["prefix"] == 'prefix: "echidna_" # default'
    assert lines["rpcBlock"] == "rpcBlock: 5 # ECHIDNA_RPC_BLOCK"
    run(["config", "show", "--config", "a.yaml", "--format", "json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["keys"]["seqLen"] == {"value": 7, "source": "a.yaml:1"}
    assert shown["keys"]["maxValue"] == {"value": hex(10**18), "source": "a.yaml:3"}
    assert len(shown["notes"]) == 2


def test_config_show_keeps_secrets(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of paid services are set or not set, never printed."""
    monkeypatch.setenv("ETHERSCAN_API_KEY", "top-secret")
    monkeypatch.setenv("ECHIDNA_RPC_URL", "https://x/top-secret")
    run(["config", "show"])
    run(["config", "show", "--format", "json"])
    output = capsys.readouterr().out
    assert "top-secret" not in output
    assert "ETHERSCAN_API_KEY (not shown)" in output


def test_config_show_reports_a_bad_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one line for each problem, nothing on stdout."""
    file = tmp_path / "bad.yaml"
    file.write_text("seqLen: x\nworkers: y\n")
    assert run(["config", "show", "--config", str(file)]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert [line.split(": ")[:2] for line in errors.splitlines()] == [["error", f"{file}:1"], ["error", f"{file}:2"]]


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ("A.sol +RTS -N4 -RTS --seed 1", "A.sol --seed 1"),
        ("A.sol +RTS -N4 -A64m", "A.sol"),
        ("+RTS -N -RTS a +RTS -s", "a"),
        ("a --RTS +RTS b", "a +RTS b"),
        ("a -- +RTS b", "a -- +RTS b"),
        ("a b", "a b"),
    ],
)
def test_runtime_options_are_taken_out_as_ghc_does(arguments: str, kept: str) -> None:
    """`+RTS` to `-RTS` or the end; `--RTS` and `--` end it."""
    assert without_runtime_options(arguments.split())[0] == kept.split()


@given(st.lists(st.sampled_from(["+RTS", "-RTS", "--RTS", "--", "a", "-N4"]), max_size=8))
def test_taking_out_runtime_options_loses_nothing_else(arguments: list[str]) -> None:
    """Every argument is either kept or reported as taken out, except the marker `--RTS`."""
    kept, removed = without_runtime_options(arguments)
    missing = len(arguments) - len(kept) - len(removed)
    assert 0 <= missing <= 1
    assert missing == 0 or "--RTS" in arguments


@pytest.mark.parametrize("command", [["config", "show"], ["index"], ["evm", "run"]])
def test_commands_without_tests_promise_no_findings(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    """Their help lists the exit codes that they have; 1 is for campaigns and state tests."""
    assert run([*command, "--help"]) == 0
    codes = capsys.readouterr().out.partition("Exit codes:")[2]
    assert [line.split()[0] for line in codes.strip().splitlines()] == ["0", "2", "3", "130"]


def test_what_the_test_mode_decides_is_shown_as_a_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As settings, Echidna's accounts would take the place of Medusa's when the output is used as a file."""
    file = tmp_path / "medusa.json"
    file.write_text('{"fuzzing": {"timeout": 5, "deployerAddress": "0x7"}}')
    assert run(["config", "show", "--config", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "\n# contractAddr: " in shown
    assert "\ndeployer: " in shown
    again = tmp_path / "again.yaml"
    again.write_text(shown)
    first, second = (campaign_settings(resolve([file_layer(path)]).configuration, "a:A") for path in (file, again))
    assert first == second
