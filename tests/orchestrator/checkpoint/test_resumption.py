"""Decisions of `--resume`, without a campaign."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from actors.campaign.state import CampaignState
from actors.campaign.worker_steering import SteeringState
from actors.steering.commands import Limits
from orchestrator.checkpoint.file import FORMAT, Checkpoint, checkpoint_of, write_checkpoint
from orchestrator.checkpoint.identity import code_digests, setting_digests
from orchestrator.checkpoint.resumption import Resumption, take_up
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from simulator.project import Contract, Project, SourceFile, Unit
from simulator.settings import CampaignSettings


def project(code: bytes = b"\x00", other: bytes = b"\x00") -> Project:
    contracts = (
        Contract("a.sol", "A", "contract", (), code, code),
        Contract("b.sol", "B", "contract", (), other, other),
        Contract("c.sol", "C", "library", (), b"\x05", b"\x05"),
    )
    return Project("/", (Unit("0.8.30", "cancun", (SourceFile(0, "a.sol", ""),), contracts),))


SETTINGS = CampaignSettings(contract="a.sol:A")
STATE = CampaignState(900, 40.0, Limits(1_000, 60.0, 5.0, 100), (), SteeringState(), 3, (1, 1, 2))
CHECKPOINT = Checkpoint(
    FORMAT, "id", "then", "", "a.sol:A", code_digests(project(), SETTINGS), setting_digests(SETTINGS), 77, STATE
)


@pytest.fixture
def request_(tmp_path: Path) -> CampaignRequest:
    return CampaignRequest(
        paths=(Path("a.sol"),),
        configuration=Configuration(),
        seed=1,
        workers=1,
        call_limit=None,
        time_limit=60.0,
        corpus_directory=tmp_path,
        resume=True,
    )


def test_a_checkpoint_that_fits_is_taken_up(request_: CampaignRequest, tmp_path: Path):
    """The campaign keeps its id; without --resume, or without a folder, a checkpoint is not looked at."""
    write_checkpoint(checkpoint_of(tmp_path), CHECKPOINT)
    found = take_up(request_, project(), SETTINGS)
    assert (found.campaign, found.checkpoint, found.ignored) == ("id", CHECKPOINT, "")
    for other in (replace(request_, resume=False), replace(request_, corpus_directory=None)):
        fresh = take_up(other, project(), SETTINGS)
        assert (fresh.checkpoint, fresh.ignored) == (None, "")
        assert len(fresh.campaign) == 32


def test_what_nobody_said_anew_is_as_it_was(request_: CampaignRequest):
    """Seed, workers and limits come from the checkpoint unless they are given."""
    resumption = Resumption("id", CHECKPOINT)
    resumed = resumption.apply(request_)
    assert (resumed.seed, resumed.workers, resumed.call_limit, resumed.time_limit) == (77, 3, 1_000, 60.0)
    assert resumed.configuration.coverage_timeout == 5.0
    given = Configuration.model_validate({"seed": 5, "workers": 2, "testLimit": 2_000})
    asked = replace(request_, configuration=given, seed=5, workers=2, call_limit=2_000, time_limit=None)
    assert resumption.apply(asked) == asked
    assert Resumption("id").apply(request_) == request_


def test_a_limit_that_is_used_up_is_said(request_: CampaignRequest):
    """Limits count from the beginning of the campaign, and the person hears what to do."""
    resumption = Resumption("id", CHECKPOINT)
    assert "--test-limit" in resumption.used_up(replace(request_, call_limit=900))
    assert "--timeout" in resumption.used_up(replace(request_, time_limit=40.0))
    assert resumption.used_up(replace(request_, call_limit=901)) == ""
    assert Resumption("id").used_up(replace(request_, call_limit=0)) == ""


@pytest.mark.parametrize(
    ("now", "settings", "problem"),
    [
        (project(b"\x01"), SETTINGS, "the code has changed since: a.sol:A"),
        (project(), msgspec.structs.replace(SETTINGS, contract="b.sol:B"), "it is of a.sol:A, and b.sol:B"),
        (
            project(),
            msgspec.structs.replace(SETTINGS, test_mode="assertion"),
            "changed since: test_mode",
        ),
        (project(), msgspec.structs.replace(SETTINGS, deploy_contracts=((b"\x01" * 20, "B"),)), "code has changed"),
    ],
)
def test_a_checkpoint_of_something_else_is_ignored(
    request_: CampaignRequest, tmp_path: Path, now: Project, settings: CampaignSettings, problem: str
):
    """The reason is told, and the campaign is a new one."""
    write_checkpoint(checkpoint_of(tmp_path), CHECKPOINT)
    found = take_up(request_, now, settings)
    assert found.checkpoint is None
    assert found.campaign != "id"
    assert problem in found.ignored


@pytest.mark.parametrize(
    ("now", "settings"),
    [
        (project(other=b"\x01"), SETTINGS),
        (project(), msgspec.structs.replace(SETTINGS, sequence_length=7, shrink_limit=1, max_time_delay=3)),
    ],
)
def test_what_changes_no_sequence_is_no_obstacle(
    request_: CampaignRequest, tmp_path: Path, now: Project, settings: CampaignSettings
):
    """Contracts beside the target, and how sequences are made."""
    write_checkpoint(checkpoint_of(tmp_path), CHECKPOINT)
    assert take_up(request_, now, settings).checkpoint == CHECKPOINT


def test_every_setting_is_either_compared_or_harmless():
    """A new setting is put in one of the two on purpose."""
    harmless = {
        *("contract", "sequence_length", "shrink_limit", "max_time_delay", "max_block_delay", "max_value", "coverage"),
        *("dictionary_frequency", "mutation_weights", "all_contracts", "filter_functions", "filter_is_blacklist"),
        *("exclude_view_pure", "stop_on_fail", "compile_hot_code", "policy"),
    }
    assert set(setting_digests(SETTINGS)) | harmless == set(CampaignSettings.__struct_fields__)
    assert not set(setting_digests(SETTINGS)) & harmless


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "there is no"), ("", "not all of one"), ("{", "not all of one")]
)
def test_without_a_whole_checkpoint_the_corpus_alone_is_left(
    request_: CampaignRequest, tmp_path: Path, content: str | None, reason: str
):
    """None, an empty file, a cut one."""
    if content is not None:
        checkpoint_of(tmp_path).write_text(content)
    found = take_up(request_, project(), SETTINGS)
    assert found.checkpoint is None
    assert reason in found.ignored
