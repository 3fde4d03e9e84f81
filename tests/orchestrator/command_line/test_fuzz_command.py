"""`monotreme fuzz`: flags, output, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import pytest

from orchestrator.assembly.errors import EndedWithFindings
from orchestrator.command_line.entry import run
from orchestrator.command_line.fuzz import Ports
from orchestrator.command_line.fuzz_options import OPTIONS
from orchestrator.command_line.help_format import GroupedOption
from orchestrator.configuration.decide import DecisionInputs
from orchestrator.configuration.keys import FIELDS
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.other_fuzzers_keys import UnusedKeys
from orchestrator.configuration.request import CampaignRequest
from simulator.compile.diagnostics import CompilationFailed, Diagnostic
from simulator.errors import KernelError, TargetError

UNUSED = {info.alias for info in UnusedKeys.model_fields.values()}
PIPE = DecisionInputs(cores=2, random_seed=7, stdout_is_terminal=False, stderr_is_terminal=False, color=False)


@dataclass
class Outcome:
    exit_code: int = 0
    output: str = "all passed\n"
    error: Exception | None = None


@dataclass
class FakeCampaign:
    """Records the requests it is asked to run; answers with `outcome`, or raises it when it is an exception."""

    outcome: Outcome | BaseException = field(default_factory=Outcome)
    requests: list[CampaignRequest] = field(default_factory=list)

    def __call__(self, request: CampaignRequest) -> Outcome:
        self.requests.append(request)
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


Fuzz = Callable[..., tuple[int, CampaignRequest | None]]


@pytest.fixture
def fuzz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fuzz:
    """Run `monotreme fuzz` with a fake campaign in a folder that holds A.sol and B.sol."""
    monkeypatch.chdir(tmp_path)
    for name in ("ECHIDNA_RPC_URL", "ECHIDNA_RPC_BLOCK", "ETHERSCAN_API_KEY", "MONOTREME_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    for name in ("A.sol", "B.sol"):
        (tmp_path / name).touch()

    def fuzz(
        *arguments: str, outcome: Outcome | BaseException | None = None, surroundings: DecisionInputs = PIPE
    ) -> tuple[int, CampaignRequest | None]:
        campaign = FakeCampaign(outcome or Outcome())
        code = run(["fuzz", *arguments], Ports(run_campaign=campaign, surroundings=surroundings))
        return code, campaign.requests[0] if campaign.requests else None

    return fuzz


def test_a_bare_target_runs_with_the_defaults(fuzz: Fuzz, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """One minute, a random seed, one worker for each core, and the report on stdout."""
    code, request = fuzz("A.sol")
    assert (code, capfdbinary.readouterr()) == (0, (b"all passed\n", b""))
    assert request is not None
    assert (request.paths, request.seed, request.workers) == ((Path("A.sol"),), 7, 2)
    assert (request.call_limit, request.time_limit, request.format) == (None, 60.0, "text")
    assert request.configuration == Configuration()


def test_every_flag_of_the_program_reaches_the_request(fuzz: Fuzz) -> None:
    """The flags of the manual, all at once."""
    code, request = fuzz(
        *("A.sol", "B.sol", "--contract", "A", "--test-mode", "assertion", "--test-limit", "1000", "--seq-len", "50"),
        *("--shrink-limit", "99", "--timeout", "5", "--workers", "3", "--seed", "12", "--corpus-dir", "corpus"),
        *("--coverage-dir", "cov", "--format", "json", "--sender", "0x1", "--sender", "2", "--deployer", "0x5"),
        *("--contract-addr", "0x1234", "--solc-args", "--via-ir", "--all-contracts", "--stop-on-fail", "--resume"),
        *("--solc", "/bin/solc", "--solc-version", "0.8.1", "--quiet"),
    )
    assert code == 0
    assert request is not None
    assert request.configuration == Configuration.model_validate(
        {
            "contract": "A",
            "testMode": "assertion",
            "testLimit": 1000,
            "seqLen": 50,
            "shrinkLimit": 99,
            "timeout": 5,
            "workers": 3,
            "seed": 12,
            "corpusDir": "corpus",
            "coverageDir": "cov",
            "format": "json",
            "sender": [1, 2],
            "deployer": 5,
            "contractAddr": 0x1234,
            "solcArgs": "--via-ir",
            "allContracts": True,
            "stopOnFail": True,
            "solcPath": "/bin/solc",
            "solcVersion": "0.8.1",
            "quiet": True,
        }
    )
    assert request.resume
    assert request.paths == (Path("A.sol"), Path("B.sol"))


def test_an_echidna_command_line_works_unchanged(fuzz: Fuzz, capsys: pytest.CaptureFixture[str]) -> None:
    """All other flags of Echidna are taken, with one note for each on stderr."""
    code, request = fuzz(
        *("A.sol", "--server", "3000", "--rpc-url", "http://x", "--rpc-block", "5", "--disable-slither"),
        *("--crytic-args", "--foundry-compile-all --skip", "--sym-exec", "True", "--sym-exec-target", "f"),
        *("--sym-exec-timeout", "9", "--sym-exec-n-solvers", "2", "--disable-onchain-sources", "--workers=1"),
        *("+RTS", "-N4", "-RTS", "--seq-len", "5"),
    )
    notes = capsys.readouterr().err.splitlines()
    assert code == 0
    assert request is not None
    assert (request.workers, request.configuration.sequence_length) == (1, 5)
    assert request.configuration.crytic_args == ("--foundry-compile-all", "--skip")
    assert notes[0] == "note: runtime options of GHC have no effect: +RTS -N4 -RTS"
    flags = {note.removeprefix("note: ").split()[0] for note in notes[1:]}
    unused = {option.opts[0] for option in OPTIONS if isinstance(option, GroupedOption) and option.key in UNUSED}
    assert flags == {*unused, "--crytic-args:"}


def test_flags_override_the_file(fuzz: Fuzz, tmp_path: Path) -> None:
    """And the environment stands between them."""
    (tmp_path / "c.yaml").write_text("seed: 1\nseqLen: 7\n")
    _, request = fuzz("A.sol", "--config", "c.yaml", "--seed", "2")
    assert request is not None
    assert (request.seed, request.configuration.sequence_length) == (2, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PATH...'"),
        (("nothing.sol",), "'nothing.sol' does not exist"),
        (("A.sol", "--seed", "abc"), "--seed: got 'abc'; expected a whole number from 0 to 2^63-1"),
        (("A.sol", "--workers", "0"), "--workers: got '0'; expected a whole number from 1 to 255"),
        (("A.sol", "--test-mode", "magic"), "expected property, "),
        (("A.sol", "--sender", "x"), "--sender: got 'x'"),
        (("A.sol", "--tset-limit", "5"), "--test-limit"),
        (("A.sol", "--config", "none.yaml"), "none.yaml: cannot be read"),
        (("A.sol", "--resume"), "--resume needs"),
        (("A.sol", "--timeout"), "requires an argument"),
        (("A.sol", "--solc-args", "'"), "--solc-args: got"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_a_line_or_two(
    fuzz: Fuzz, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    """Nothing runs, nothing goes to stdout, no traceback."""
    code, request = fuzz(*arguments)
    output, errors = capsys.readouterr()
    assert (code, request, output) == (2, None, "")
    assert message in errors
    assert errors.startswith("error: ")
    assert len(errors.splitlines()) <= 2


@pytest.mark.parametrize("code", [0, 1, 3, 130])
def test_the_campaigns_exit_code_is_the_commands(fuzz: Fuzz, code: int) -> None:
    """Findings are 1, an interruption without findings is 130."""
    assert fuzz("A.sol", outcome=Outcome(exit_code=code))[0] == code


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (TargetError("A has no tests"), 2, "error: A has no tests"),
        (KernelError("no compiler"), 3, "error: no compiler"),
        (ExceptionGroup("nursery", [KeyError("x"), TargetError("A has no tests")]), 2, "error: A has no tests"),
        (OSError(28, "No space left on device", "/corpus/x"), 3, "error: /corpus/x: No space left on device"),
        (MemoryError(), 3, "error: out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (BaseExceptionGroup("nursery", [KeyboardInterrupt()]), 130, "interrupted"),
        (EndedWithFindings("interrupted; failed tests: 2"), 1, "error: interrupted; failed tests: 2"),
        (ValueError("a bug\nof ours"), 3, "internal error: ValueError: a bug"),
    ],
)
def test_a_failure_is_told_in_words(
    fuzz: Fuzz, capsys: pytest.CaptureFixture[str], error: BaseException, code: int, text: str
) -> None:
    """What the person gave is 2, what surrounds the program is 3; a traceback is never shown."""
    assert fuzz("A.sol", outcome=error)[0] == code
    output, errors = capsys.readouterr()
    assert (output, errors.splitlines()[0]) == ("", text)
    assert "Traceback" not in errors


def test_compiler_errors_are_shown_as_editors_expect_them(fuzz: Fuzz, capsys: pytest.CaptureFixture[str]) -> None:
    """The place stands at the beginning of the line, with nothing before it."""
    diagnostic = Diagnostic("error", "2314", "Expected ';'", "A.sol", 1, 21, 1, 22, "contract A { uint x }")
    assert fuzz("A.sol", outcome=CompilationFailed([diagnostic]))[0] == 2
    assert capsys.readouterr().err.startswith("A.sol:1:21: error: Expected ';' [2314]\n")


def test_the_traceback_is_shown_on_request(
    fuzz: Fuzz, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """MONOTREME_DEBUG=1 shows where it happened, before the message."""
    monkeypatch.setenv("MONOTREME_DEBUG", "1")
    assert fuzz("A.sol", outcome=ValueError("a bug"))[0] == 3
    errors = capsys.readouterr().err
    assert errors.startswith("Traceback")
    assert "internal error: ValueError: a bug" in errors


def test_json_is_the_only_thing_on_stdout(
    fuzz: Fuzz, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Warnings and notes go to stderr; the document is UTF-8."""
    (tmp_path / "c.yaml").write_text("seqLne: 5\nsymExec: true\n")
    fuzz("A.sol", "--config", "c.yaml", "--format", "json", outcome=Outcome(output='{"reason":"✗ größer"}'))
    output, errors = capfdbinary.readouterr()
    assert json.loads(output) == {"reason": "✗ größer"}
    assert errors.startswith(b"warning: c.yaml:1: seqLne: unknown key, ignored; did you mean seqLen?\nnote: ")


def test_none_prints_nothing(fuzz: Fuzz, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither report nor warnings; the exit code tells."""
    (tmp_path / "c.yaml").write_text("seqLne: 5\n")
    code, request = fuzz("A.sol", "--config", "c.yaml", "--format", "none", outcome=Outcome(1, ""))
    assert (code, capfd.readouterr()) == (1, ("", ""))
    assert request is not None
    assert request.display == "none"


def test_the_help_gives_the_defaults_of_the_configuration() -> None:
    """The literal defaults in the help are those of the model, so that help needs no model to start."""
    defaults = Configuration().model_dump(mode="json", by_alias=True)
    literal = {
        option.key: option.shown_default
        for option in OPTIONS
        if isinstance(option, GroupedOption) and option.key in ("seqLen", "shrinkLimit", "deployer")
    }
    assert literal == {key: str(defaults[key]) for key in literal}
    assert len(literal) == 3


def test_every_flag_has_a_key_that_exists() -> None:
    """Flags without a key belong to the command itself."""
    keys = [option.key for option in OPTIONS if isinstance(option, GroupedOption)]
    assert {key for key in keys if key is not None} <= set(FIELDS)
    own = [option.opts[0] for option in OPTIONS if isinstance(option, GroupedOption) and option.key is None]
    assert own == ["--config", "--resume", "--log-format"]


def test_every_flag_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """The help lists all flags in groups, examples and exit codes."""
    assert run(["fuzz", "--help"]) == 0
    text = click.unstyle(capsys.readouterr().out)
    assert all(option.opts[0] in text for option in OPTIONS)
    assert "Examples:\n  monotreme fuzz Token.sol" in text
    assert "Exit codes:\n  0    nothing found" in text


def test_the_live_view_is_asked_for_on_a_terminal(fuzz: Fuzz) -> None:
    """The campaign draws it; the command only decides."""
    _, request = fuzz("A.sol", surroundings=replace(PIPE, stderr_is_terminal=True))
    assert request is not None
    assert request.display == "live"


def test_the_report_of_a_campaign_that_an_error_ended_comes_before_the_error(
    fuzz: Fuzz, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What was found until then is on stdout; the exit code is that of the error."""
    code, _ = fuzz("A.sol", "--quiet", outcome=Outcome(exit_code=1, error=ValueError("planted")))
    output, errors = capfdbinary.readouterr()
    assert (code, output) == (3, b"all passed\n")
    assert errors.startswith(b"internal error: ValueError: planted\n")


def test_a_configuration_in_the_project_is_never_left_out_in_silence(
    fuzz: Fuzz, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line names what lies there and how to use it; with --config there is nothing to say."""
    (tmp_path / "medusa.json").write_text('{"fuzzing": {"timeout": 1}}')
    (tmp_path / "echidna.config.yml").write_text("seqLen: 5")
    fuzz("A.sol")
    said = capsys.readouterr().err
    assert "note: echidna.config.yml, medusa.json: not used, as no --config names one: --config echidna.config" in said
    fuzz("A.sol", "--quiet")
    fuzz("A.sol", "--config", "medusa.json")
    assert "not used" not in capsys.readouterr().err


def test_a_configuration_may_name_the_target(fuzz: Fuzz, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As medusa.json does; the command line wins."""
    file = tmp_path / "medusa.json"
    file.write_text('{"fuzzing": {"timeout": 1}, "compilation": {"platformConfig": {"target": "A.sol"}}}')
    assert [request.paths for _, request in (fuzz("--config", "medusa.json"),) if request] == [(Path("A.sol"),)]
    assert [request.paths for _, request in (fuzz("B.sol", "--config", "medusa.json"),) if request] == [
        (Path("B.sol"),)
    ]
    file.write_text('{"fuzzing": {"timeout": 1}, "compilation": {"platformConfig": {"target": "gone"}}}')
    assert fuzz("--config", "medusa.json") == (2, None)
    assert "medusa.json:1: target: gone does not exist" in capsys.readouterr().err
