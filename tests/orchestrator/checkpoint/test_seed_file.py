"""The seed is on the disk before anything is compiled, deployed or fuzzed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.checkpoint.seed_file import SEED_FILE, with_durable_seed
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest


def request_of(folder: Path | None, seed: int, *, resume: bool = True, given: bool = False) -> CampaignRequest:
    return CampaignRequest(
        paths=(Path("a.sol"),),
        configuration=Configuration.model_validate({"seed": seed} if given else {}),
        seed=seed,
        workers=1,
        call_limit=None,
        time_limit=60.0,
        corpus_directory=folder,
        resume=resume,
    )


def test_a_campaign_that_was_killed_early_is_resumed_with_its_seed(tmp_path: Path) -> None:
    """As often as that happens."""
    corpus = tmp_path / "corpus"
    assert with_durable_seed(request_of(corpus, 2**63 - 1, resume=False)).seed == 2**63 - 1
    for fresh in (2, 3):
        assert with_durable_seed(request_of(corpus, fresh)).seed == 2**63 - 1


def test_a_seed_that_is_given_counts(tmp_path: Path) -> None:
    """And is the one to resume with from then on; so is that of a campaign that begins anew."""
    for request in (request_of(tmp_path, 1, resume=False), request_of(tmp_path, 5, given=True)):
        assert with_durable_seed(request).seed == request.seed
    assert with_durable_seed(request_of(tmp_path, 9)).seed == 5
    assert with_durable_seed(request_of(tmp_path, 6, resume=False)).seed == 6


@pytest.mark.parametrize("content", [b"", b"\xff", b'{"seed": -1}', b'{"seed": 9223372036854775808}', b'{"seed": "x"}'])
def test_a_damaged_file_is_none(tmp_path: Path, content: bytes) -> None:
    """The seed is then a fresh one, and written."""
    (tmp_path / SEED_FILE).write_bytes(content)
    for fresh in (4, 8):
        assert with_durable_seed(request_of(tmp_path, fresh)).seed == 4


def test_without_a_folder_or_a_disk_nothing_changes(tmp_path: Path) -> None:
    """A disk that refuses is told with the checkpoint."""
    (tmp_path / "file").write_text("")
    for folder in (None, tmp_path / "file" / "corpus"):
        request = request_of(folder, 3)
        assert with_durable_seed(request) == replace(request)
