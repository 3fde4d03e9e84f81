"""The folder of exported Foundry tests: what is written, what is left alone, what reports say of it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from actors.campaign.status import CampaignEnd
from actors.campaign.tests import TestRecord
from actors.corpus.keeper import CorpusKeeper
from actors.coverage.tracker import CoverageSnapshot
from actors.events.types import StopReason
from orchestrator.assembly.export_folder import ExportFolder
from orchestrator.assembly.result import CampaignMaterial
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from simulator.compile import ProcessError, ProcessResult
from simulator.project import Contract, Project, Unit
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction, address_bytes
from simulator.worker.reports import TestInfo

SETTINGS = CampaignSettings(contract="Fake.sol:Fake")
CALL = Transaction(address_bytes(0x10000), SETTINGS.contract_address, b"\x01\x02\x03\x04")
FINDING = TestRecord(TestInfo(0, "echidna_a", "property", "Fake"), "solved", "false", (CALL,), (CALL,))


@pytest.fixture
def folder(tmp_path: Path) -> ExportFolder:
    return folder_of(tmp_path, FINDING)


def folder_of(root: Path, *records: TestRecord) -> ExportFolder:
    (root / "Fake.sol").write_text("contract Fake {}\n")
    contract = Contract("Fake.sol", "Fake", "contract", (), b"", b"")
    project = Project(str(root), (Unit("0.8.30", "cancun", (), (contract,)),))
    request = CampaignRequest(
        paths=(root,), configuration=Configuration(), seed=1, workers=1, call_limit=1, time_limit=None
    )
    end = CampaignEnd(StopReason.TEST_LIMIT, 1, 1.0, records, None)
    book = AddressBook.from_project(project, ())
    material = CampaignMaterial(
        request, SETTINGS, project, book, end, CoverageSnapshot(()), CorpusKeeper().statistics()
    )
    return ExportFolder(material, root / "corpus")


def test_a_finding_is_never_said_to_be_verified_before_it_was_executed(folder: ExportFolder) -> None:
    """Neither in its file, nor in the report, nor in the README."""
    folder.write()
    report = folder.done.reports[0]
    assert not report.verified
    assert report.path is not None
    assert "// Unverified: " in Path(report.path).read_text()
    assert "Unverified: " in Path(report.path).with_name("README.md").read_text()


def test_a_reason_for_not_executing_reaches_file_and_report(folder: ExportFolder) -> None:
    """With its reason."""
    folder.write()
    folder.skip("the user is in a hurry")
    report = folder.done.reports[0]
    assert report.text == "Unverified: it was not executed: the user is in a hurry."
    assert report.text in Path(str(report.path)).read_text()


def test_a_program_that_cannot_be_started_verifies_nothing(folder: ExportFolder) -> None:
    """What it said is the reason."""

    def run(*_: object) -> ProcessResult:
        raise ProcessError("no such compiler")

    folder.write()
    folder.check(run, lambda _: None)
    report = folder.done.reports[0]
    assert not report.verified
    assert report.text.startswith("Unverified: ")


def test_a_file_that_somebody_has_changed_is_left_alone(tmp_path: Path) -> None:
    """And that is said; an unchanged one is marked anew."""
    first = folder_of(tmp_path, FINDING)
    first.write()
    path = Path(str(first.done.reports[0].path))
    second = folder_of(tmp_path, FINDING)
    second.write()
    assert second.done.problems == []
    path.write_text(path.read_text().replace("contract Reproducer", "contract Mine"))
    changed = path.read_text()
    third = folder_of(tmp_path, FINDING)
    third.write()
    assert path.read_text() == changed
    third.skip("the user is in a hurry")
    assert third.done.problems == [f"{path}: left as it is: it was changed, or written with other settings"]
    assert third.done.reports[0].text == ("Unverified: it was not executed: its file does not hold this test.")


def test_a_finding_that_forge_cannot_check_says_so(tmp_path: Path) -> None:
    """It has no file."""
    crash = msgspec.structs.replace(FINDING, info=TestInfo(0, "crash_1", "crash", "Fake"))
    folder = folder_of(tmp_path, crash)
    folder.write()
    assert folder.done.reports[0].path is None
    assert folder.done.reports[0].text == "No Foundry test: forge cannot check findings of the kind crash."
    assert not (tmp_path / "corpus").exists()


def test_the_settings_beside_the_tests_name_what_a_test_cannot_set(folder: ExportFolder, tmp_path: Path) -> None:
    """The block's gas limit, and where the sources lie."""
    folder.write()
    text = (tmp_path / "corpus" / "foundry" / "foundry.toml").read_text()
    assert "block_gas_limit = 4294967295\n" in text
    assert f'remappings = ["Fake.sol={tmp_path}/Fake.sol"]\n' in text
    assert 'evm_version = "cancun"\n' in text
