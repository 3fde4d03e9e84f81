"""From a configuration to a request, to the workers' settings and the compiler's options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from orchestrator.assembly.run_details import FLAG_NAMES
from orchestrator.command_line.fuzz_options import OPTIONS
from orchestrator.command_line.help_format import GroupedOption
from orchestrator.configuration.decide import DecisionInputs, default_workers, make_request
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import compile_options
from orchestrator.configuration.settings_adapter import campaign_settings
from simulator.compile.options import CompileOptions
from simulator.settings import CampaignSettings

TERMINAL = DecisionInputs(cores=8, random_seed=77, stdout_is_terminal=True, stderr_is_terminal=True, color=True)
PIPE = replace(TERMINAL, stdout_is_terminal=False, stderr_is_terminal=False)


@pytest.mark.parametrize(
    ("keys", "limits"),
    [
        ({}, (None, 60.0)),
        ({"stopAfterNoCoverage": 30}, (None, None)),
        ({"testLimit": 5}, (5, None)),
        ({"timeout": 2.5}, (None, 2.5)),
        ({"testLimit": 5, "timeout": 2}, (5, 2)),
        ({"testLimit": 0}, (0, None)),
    ],
)
def test_a_campaign_without_any_limit_runs_a_minute(keys: dict[str, object], limits: tuple[int, float]) -> None:
    """Limits that are given are taken as they are, and nothing is added to them."""
    request = make_request([], Configuration.model_validate(keys), PIPE)
    assert (request.call_limit, request.time_limit) == limits


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (2, 2), (4, 4), (64, 4), (0, 1)])
def test_there_is_one_worker_for_each_core_up_to_four(cores: int, workers: int) -> None:
    """Echidna's clamp."""
    assert default_workers(cores) == workers


def test_workers_and_seed_that_are_given_are_kept() -> None:
    """Seed 0 is a seed."""
    request = make_request([], Configuration(workers=9, seed=0), PIPE)
    assert (request.workers, request.seed) == (9, 0)
    assert make_request([], Configuration(), PIPE).seed == 77


@pytest.mark.parametrize(
    ("keys", "surroundings", "display"),
    [
        ({}, TERMINAL, "live"),
        ({"format": "json"}, TERMINAL, "live"),
        ({"format": "text"}, TERMINAL, "status"),
        ({"format": "none"}, TERMINAL, "none"),
        ({"quiet": True}, TERMINAL, "none"),
        ({}, PIPE, "status"),
        ({"format": "json"}, PIPE, "status"),
        ({}, replace(TERMINAL, stdout_is_terminal=False), "live"),
    ],
)
def test_the_live_view_needs_a_terminal_on_stderr(
    keys: dict[str, object], surroundings: DecisionInputs, display: str
) -> None:
    """Without one there are status lines; quiet and none show nothing."""
    assert make_request([], Configuration.model_validate(keys), surroundings).display == display


def test_colours_need_a_terminal_on_stdout() -> None:
    """A report that goes to a file has none, and NO_COLOR switches them off."""
    assert make_request([], Configuration(), TERMINAL).color
    assert not make_request([], Configuration(), replace(TERMINAL, stdout_is_terminal=False)).color
    assert not make_request([], Configuration(), replace(TERMINAL, color=False)).color


def test_coverage_goes_to_the_corpus_folder_by_default(tmp_path: Path) -> None:
    """As in Echidna; its own folder wins."""
    one = make_request([], Configuration(corpusDir=str(tmp_path)), PIPE)
    assert (one.corpus_directory, one.coverage_directory) == (tmp_path, tmp_path)
    two = make_request([], Configuration(corpusDir=str(tmp_path), coverageDir="cov"), PIPE)
    assert two.coverage_directory == Path("cov")


def test_resuming_needs_a_corpus_folder(tmp_path: Path) -> None:
    """Otherwise there is nothing to resume."""
    with pytest.raises(ConfigurationError, match="--resume needs"):
        make_request([], Configuration(), PIPE, resume=True)
    assert make_request([], Configuration(corpusDir=str(tmp_path)), PIPE, resume=True).resume


def test_a_file_is_no_corpus_folder(tmp_path: Path) -> None:
    """It is found out before anything is compiled."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match=r"corpusDir: .* is not a folder"):
        make_request([], Configuration(corpusDir=str(tmp_path / "file")), PIPE)


def test_the_default_configuration_gives_the_default_settings() -> None:
    """Both tables hold Echidna's defaults."""
    assert campaign_settings(Configuration(), "a.sol:A") == CampaignSettings(contract="a.sol:A")


def test_every_key_reaches_its_setting() -> None:
    """Values that differ from all defaults arrive in the settings, in the settings' units."""
    keys = Configuration.model_validate(
        {
            "testMode": "assertion",
            "prefix": "check_",
            "psender": 1,
            "sender": ["0x2"],
            "deployer": 3,
            "contractAddr": 0x1234,
            "balanceAddr": 256,
            "balanceContract": 5,
            "seqLen": 6,
            "shrinkLimit": 7,
            "propMaxGas": 8,
            "testMaxGas": 9,
            "maxGasprice": 10,
            "maxTimeDelay": 11,
            "maxBlockDelay": 12,
            "maxValue": 13,
            "codeSize": 14,
            "coverage": False,
            "dictFreq": 0.5,
            "mutConsts": [1, 2, 3, 4],
            "allContracts": True,
            "filterFunctions": ["A.f()"],
            "filterBlacklist": False,
            "excludeViewPure": True,
            "deployContracts": [[0x2000, "B"]],
            "deployBytecodes": [["0x3000", "0x6001"]],
            "testDestruction": True,
            "stopOnFail": True,
            "allowFFI": True,
            "compileHotCode": False,
            "propertyPrefixes": ["p_"],
            "targetContracts": ["A"],
            "cheatcodes": False,
        }
    )
    settings = campaign_settings(keys, "a.sol:A")
    unchanged = [
        name for name in settings.__struct_fields__ if getattr(settings, name) == getattr(CampaignSettings(), name)
    ]
    # The mode brings balance and block, the start of the campaign the forked chain and the constructor's arguments, and
    # its user the policy.
    of_others = {"target_balance", "block", "foundry", "initial", "fork", "constructor_arguments", "policy"}
    assert set(unchanged) == of_others
    assert settings.senders == (bytes(19) + b"\2",)
    assert (settings.sender_balance, settings.max_value) == (b"\1\0", b"\x0d")
    assert settings.deploy_contracts == ((bytes(18) + b"\x20\x00", "B"),)
    assert settings.deploy_bytecodes == ((bytes(18) + b"\x30\x00", b"\x60\x01" + bytes(320)),)


def test_the_largest_words_fit_into_a_frame() -> None:
    """Delays and code size are cut to what a frame can carry; amounts are bytes of any size."""
    largest = 2**256 - 1
    keys = Configuration(maxTimeDelay=largest, maxBlockDelay=largest, codeSize=largest, maxValue=largest)
    settings = campaign_settings(keys, "")
    assert settings.max_time_delay == settings.max_block_delay == settings.max_code_size == 2**63 - 1
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(settings), type=CampaignSettings) == settings


def test_compiler_keys_become_compiler_options() -> None:
    """solcArgs is split as a shell would, without a shell."""
    keys = Configuration(solcPath="bin/solc", solcVersion="0.8.30", solcArgs="--via-ir '@a b=lib/a'")
    options = compile_options(keys)
    assert options == CompileOptions(solc=Path("bin/solc"), solc_version="0.8.30", solc_args=("--via-ir", "@a b=lib/a"))
    assert make_request([], keys, PIPE).compile_options() == options


def test_the_request_names_contract_and_settings() -> None:
    """Answers of the request to the campaign."""
    request = make_request([Path("a.sol")], Configuration(contract="A", seqLen=7), PIPE)
    assert (request.paths, request.contract) == ((Path("a.sol"),), "A")
    assert request.settings("a.sol:A").sequence_length == 7


def test_the_flags_of_a_repeated_command_are_those_of_the_command_line() -> None:
    """The table that reports read says what the options say."""
    options = {option.key: option.opts[0] for option in OPTIONS if isinstance(option, GroupedOption)}
    assert {key: options.get(key) for key in FLAG_NAMES} == FLAG_NAMES
