"""The small parts of the assembly, without processes."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
import structlog
import trio
import trio.testing

from actors.campaign.status import CampaignEnd
from actors.campaign.tests import TestRecord
from actors.corpus.messages import Stored
from actors.events.types import (
    CoverageIncreased,
    PropertyFalsified,
    Steered,
    StopReason,
    TestDecided,
    Warned,
    WorkerRestarting,
    WorkerStopped,
)
from orchestrator.assembly.addresses import DeployedNames
from orchestrator.assembly.corpus_folder import EchidnaCorpus
from orchestrator.assembly.errors import CampaignFolderError
from orchestrator.assembly.foundry_reproducers import foundry_tests
from orchestrator.assembly.kernel import _missing_object, _Progress
from orchestrator.assembly.observation import Observation, describe
from orchestrator.assembly.result import CampaignMaterial, exit_code
from orchestrator.assembly.run_folder import owned_corpus, run_folder, write_project
from orchestrator.assembly.signals import Interruption
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.request import CampaignRequest
from simulator.corpus.identity import sequence_hash
from simulator.corpus.store import CorpusStore, Folder
from simulator.evm.kernel.object_file import KernelObject, kernel_cache
from simulator.kernel_loader import source_key
from simulator.project import Contract, Project, SourceFile, Unit
from simulator.settings import CampaignSettings
from simulator.transaction import Transaction
from simulator.worker.reports import Ready, TestInfo

ABI = ({"type": "function", "name": "poke", "inputs": [], "outputs": [], "stateMutability": "nonpayable"},)
TARGET = Contract("src/Fake.sol", "Fake", "contract", ABI, b"\x00", b"\x00")
CHILD = Contract("src/Child.sol", "Child", "contract", ABI, b"\x00", b"\x00")
PROJECT = Project("/", (Unit("0.8.30", "cancun", (SourceFile(0, "src/Fake.sol", ""),), (TARGET, CHILD)),))
SETTINGS = CampaignSettings(contract="src/Fake.sol:Fake")
CALL = Transaction(b"\x01" * 20, SETTINGS.contract_address, bytes.fromhex("18178358"))
CHILD_ADDRESS = b"\x07" * 20


def record(kind: str = "property", state: str = "solved", name: str = "echidna_a", **fields: object) -> TestRecord:
    return TestRecord(TestInfo(0, name, kind, "Fake"), state, **fields)


def end(*tests: TestRecord, reason: StopReason = StopReason.TEST_LIMIT, failure: str | None = None) -> CampaignEnd:
    return CampaignEnd(reason, 1_000, 1.0, tests, None, failure)


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (end(record(state="passed")), 0),
        (end(record(state="solved"), record(state="passed")), 1),
        (end(record(state="solved", kind="optimization")), 0),
        (end(record(state="passed"), reason=StopReason.INTERRUPTED), 130),
        (end(record(state="solved"), reason=StopReason.INTERRUPTED), 1),
        (end(record(state="error"), reason=StopReason.NO_WORKERS, failure="crashed"), 3),
        (end(record(state="error"), reason=StopReason.TIMEOUT, failure="nothing was fuzzed"), 3),
        (end(record(state="error"), reason=StopReason.INTERRUPTED, failure="nothing was fuzzed"), 130),
        (end(record(state="solved"), reason=StopReason.NO_WORKERS, failure="crashed"), 1),
    ],
)
def test_exit_codes(result: CampaignEnd, code: int):
    """Findings come first, then interruption, then trouble."""
    assert exit_code(result) == code


def test_events_become_sentences():
    """What figures show better is left out."""
    assert describe(0, PropertyFalsified(0, "p", "property", "C", "false", (CALL,))) == "p: false (1 call)"
    assert describe(0, PropertyFalsified(0, "p", "property", "C", "false", ())) == "p: false (right after deployment)"
    assert describe(0, TestDecided(0, "p", "solved", (CALL, CALL))) == "p: shrunk to 2 calls"
    assert describe(0, TestDecided(0, "p", "solved", ())) is None
    assert describe(0, TestDecided(0, "p", "passed")) is None
    assert describe(0, WorkerRestarting("worker 0 was killed by SIGSEGV", 0.1)).endswith("it is replaced")
    assert describe(2, WorkerStopped("worker 2 failed 6 times")) == "worker 2 is given up: it failed 6 times"
    assert describe(0, WorkerStopped("as told")) is None
    assert describe(-1, Steered("inject", "2 calls to 4 workers")) == "inject: 2 calls to 4 workers"
    assert describe(-1, Steered("pause", "")) == "pause"
    assert describe(0, Warned("careful")) == "warning: careful"
    assert describe(0, CoverageIncreased(1, 1, 1, 1)) is None


@pytest.mark.parametrize(("path", "target"), [(".", "vault"), ("src/..", "vault"), ("src/A.sol", "A.sol")])
async def test_a_target_is_named_after_its_file_or_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, target: str
):
    """`monotreme fuzz .` says which folder that is."""
    (tmp_path / "vault" / "src").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "vault")
    request = CampaignRequest(
        paths=(Path(path),), configuration=Configuration(), seed=1, workers=1, call_limit=1, time_limit=None
    )
    assert Observation(request).read().target == target


def test_the_run_folder_is_private_and_goes_away():
    """Only the owner may enter, and nothing stays."""
    with run_folder() as folder:
        path = write_project(folder, PROJECT)
        assert folder.stat().st_mode & 0o077 == 0
        assert msgspec.msgpack.decode(path.read_bytes(), type=Project) == PROJECT
    assert not folder.exists()


def test_a_corpus_folder_has_one_owner(tmp_path):
    """The lock is free again after the block, also after an error."""
    with pytest.raises(ZeroDivisionError), owned_corpus(tmp_path / "deep" / "corpus"):
        raise ZeroDivisionError
    taken = pytest.raises(CampaignFolderError, match="another campaign")
    with owned_corpus(tmp_path / "deep" / "corpus"), taken, owned_corpus(tmp_path / "deep" / "corpus"):
        pass
    with owned_corpus(None):
        pass


def test_abis_are_found_once_contracts_are_deployed():
    """The fuzzed contract is known at once; others, by plain or full name, when a worker is ready."""
    ready: list[Ready] = []
    deployment = DeployedNames(PROJECT, SETTINGS, lambda: ready[0] if ready else None)
    assert deployment.abi_of(SETTINGS.contract_address) is not None
    assert deployment.abi_of(CHILD_ADDRESS) is None
    ready.append(Ready((), (), (), ((CHILD_ADDRESS, "Child"),)))
    assert deployment.abi_of(CHILD_ADDRESS) is not None
    assert deployment.book().name(CHILD_ADDRESS) == "Child"


def test_the_corpus_folder_is_echidnas(tmp_path):
    """Each kind of sequence has its subfolder, failing ones are loaded first, unreadable files are told."""
    deployment = DeployedNames(PROJECT, SETTINGS, lambda: None)
    corpus = EchidnaCorpus(tmp_path, deployment.abi_of)
    corpus.save_coverage((CALL,))
    corpus.save_reproducer((CALL, CALL), shrunk=True)
    corpus.save_reproducer((CALL, CALL, CALL), shrunk=False)
    EchidnaCorpus(tmp_path, deployment.abi_of, optimizing=True).save_reproducer((CALL,) * 4, shrunk=False)
    corpus.save_injected((CALL,) * 5)
    (tmp_path / "coverage" / "broken.txt").write_text("{")
    loaded = corpus.load()
    assert loaded.entries == (
        Stored((CALL, CALL), "failed"),
        Stored((CALL,) * 5, "injected"),
        Stored((CALL,), "coverage"),
    )
    assert len(loaded.problems) == 1
    assert "broken.txt" in loaded.problems[0]
    names = {path.parent.name for path in tmp_path.rglob("*.txt")}
    assert names == {"coverage", "injected", "reproducers", "reproducers-unshrunk", "reproducers-optimizations"}


def test_a_damaged_kernel_is_a_missing_one(tmp_path, monkeypatch):
    """It is built before a worker needs it, and told here, once."""
    monkeypatch.setenv("MONOTREME_CACHE", str(tmp_path))
    cache = kernel_cache(tmp_path / "kernel")
    assert _missing_object() == (tmp_path / "kernel", source_key())
    cache.write(source_key(), KernelObject("entry", (), b"code"))
    assert _missing_object() is None
    file = cache.path(source_key())
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with structlog.testing.capture_logs() as logs:
        for _ in range(2):
            assert _missing_object() == (tmp_path / "kernel", source_key())
    assert [entry["log_level"] for entry in logs] == ["warning"]
    assert logs[0]["event"].startswith(f"{file}: damaged")


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("part", ["", "coverage", "reproducers"])
def test_a_corpus_folder_that_is_removed_is_made_anew(tmp_path, part):
    """With every sequence it held, once, as soon as somebody looks; what was set aside stays so."""
    deployment = DeployedNames(PROJECT, SETTINGS, lambda: None)
    root = tmp_path / "corpus"
    EchidnaCorpus(root, deployment.abi_of).save_coverage((CALL,) * 7)
    corpus = EchidnaCorpus(root, deployment.abi_of)
    corpus.load()
    corpus.save_coverage((CALL,))
    corpus.save_coverage((CALL,) * 6)
    corpus.save_injected((CALL,) * 5)
    for shrunk in (True, False):
        corpus.save_reproducer((CALL, CALL), shrunk=shrunk)
    corpus.supersede((CALL,) * 6)
    assert corpus.restore() == 0
    before = [name for name in files_below(root) if not name.startswith("superseded")]
    shutil.rmtree(root / part)
    corpus.save_coverage((CALL,) * 8)
    assert corpus.restore() == {"": 6, "coverage": 3, "reproducers": 1}[part]
    assert corpus.restore() == 0
    after = [name for name in files_below(root) if not name.startswith("superseded")]
    assert after == sorted([*before, f"coverage/{sequence_hash((CALL,) * 8)}.txt"])


def test_sequences_of_another_fuzzer_are_kept_too_when_their_folder_is_removed(tmp_path):
    """As sequences of the corpus, and told once."""
    deployment = DeployedNames(PROJECT, SETTINGS, lambda: None)
    corpus = EchidnaCorpus(tmp_path, deployment.abi_of)
    corpus._kept[Folder.MEDUSA_SEQUENCES] = {sequence_hash((CALL,)): (CALL,)}
    assert (corpus.restore(), corpus.restore()) == (1, 0)
    assert files_below(tmp_path) == [f"coverage/{sequence_hash((CALL,))}.txt"]


@pytest.mark.parametrize("corpus_format", ["medusa", "forge"])
def test_a_corpus_in_another_format_is_looked_after_like_ones_own(tmp_path, corpus_format):
    """Nothing is missed that is there; what is removed is written again, and coverage set aside."""
    deployment = DeployedNames(PROJECT, SETTINGS, lambda: None)
    corpus = EchidnaCorpus(tmp_path, deployment.abi_of, corpus_format=corpus_format, target=("C", CALL.to))
    corpus.save_coverage((CALL,))
    corpus.save_coverage((CALL, CALL))
    corpus.save_reproducer((CALL,) * 3, shrunk=True)
    before = files_below(tmp_path)
    assert corpus.restore() == 0
    if corpus_format == "medusa":
        assert [name.partition("/")[0] for name in before] == ["call_sequences", "call_sequences", "test_results"]
        shutil.rmtree(tmp_path / "call_sequences")
        assert (corpus.restore(), files_below(tmp_path)) == (2, before)
        again = EchidnaCorpus(tmp_path, deployment.abi_of, corpus_format="medusa", target=("C", CALL.to))
        assert {each.origin for each in again.load().entries} == {"coverage", "failed"}
        again.supersede((CALL,))
        assert len(list((tmp_path / "superseded").iterdir())) == 1


def test_calls_of_the_target_in_another_fuzzers_corpus_go_to_where_it_stands(tmp_path):
    """Medusa and forge deploy elsewhere; an address that means nothing here is found by the function that is called."""
    deployment = DeployedNames(PROJECT, SETTINGS, lambda: None)
    elsewhere = msgspec.structs.replace(CALL, to=b"\7" * 20)
    unknown = msgspec.structs.replace(CALL, to=b"\7" * 20, data=b"\1\2\3\4")
    for sequence in ((elsewhere,), (unknown,)):
        CorpusStore(tmp_path, lambda _: None, "medusa").save(Folder.COVERAGE, sequence)
    corpus = EchidnaCorpus(tmp_path, deployment.abi_of, target=("C", SETTINGS.contract_address))
    assert {each.sequence[0].to for each in corpus.load().entries} == {CALL.to, unknown.to}


def test_superseded_entries_move_and_are_not_loaded(tmp_path):
    """Only files of `coverage/` move, whatever they are called; nothing is deleted or overwritten."""
    deployment = DeployedNames(PROJECT, SETTINGS, lambda: None)
    corpus = EchidnaCorpus(tmp_path, deployment.abi_of)
    corpus.save_coverage((CALL,))
    corpus.save_coverage((CALL, CALL))
    (file,) = (path for path in (tmp_path / "coverage").iterdir() if path.stem == sequence_hash((CALL, CALL)))
    file.rename(file.with_name("17.txt"))
    (tmp_path / "superseded").mkdir()
    (tmp_path / "superseded" / "17.txt").write_text("another")
    corpus.save_injected((CALL,) * 3)
    corpus = EchidnaCorpus(tmp_path, deployment.abi_of)
    corpus.load()
    for sequence in ((CALL,), (CALL, CALL), (CALL,) * 3, (CALL,) * 9):
        corpus.supersede(sequence)
    assert corpus.load().entries == (Stored((CALL,) * 3, "injected"),)
    assert sorted(path.name for path in (tmp_path / "superseded").iterdir()) == sorted(
        ["17.txt", "17-1.txt", f"{sequence_hash((CALL,))}.txt"]
    )
    assert (tmp_path / "superseded" / "17.txt").read_text() == "another"


def test_findings_get_foundry_tests_where_foundry_can_check_them():
    """Properties, also those that fail before any call, assertions, destruction and values."""
    records = (
        record(sequence=(CALL,)),
        record(sequence=(CALL,), name="echidna_revert_b"),
        record(kind="assertion", name="poke()", sequence=(CALL,)),
        record(kind="call", name="Target contract is not self-destructed", sequence=(CALL,)),
        record(kind="optimization", name="echidna_best", sequence=(CALL,), value="7"),
        record(sequence=()),
        record(state="passed"),
    )
    material = CampaignMaterial(None, SETTINGS, PROJECT, None, end(*records), None, None)
    tests = list(foundry_tests(material))
    assert [type(test.check).__name__ for test in tests] == [
        "PropertyCheck",
        "PropertyCheck",
        "AssertionCheck",
        "DestructionCheck",
        "OptimizationCheck",
        "PropertyCheck",
    ]
    assert tests[1].check.expects_revert
    assert tests[0].deployments[-1].import_path == "src/Fake.sol"


def test_builder_progress_may_come_in_pieces():
    """Lines are put together; what is no progress is left out."""
    told: list[str] = []
    progress = _Progress(told.append)
    for piece in (b"[1,2", b',"a"]\nwarning: x\n', b'[2,2,"b"]\n'):
        progress(piece)
    assert told == ["compiling the EVM kernel: 1/2", "compiling the EVM kernel: 2/2"]


async def test_signals_escalate(nursery: trio.Nursery):
    """First gently, then quickly, then everything; a gentle end that has to wait holds up no other."""
    begun = trio.Event()

    async def gently() -> None:
        begun.set()
        await trio.sleep_forever()

    everything, quick = trio.CancelScope(), trio.CancelScope()
    interruption = Interruption(gently=gently, quick=quick)
    await nursery.start(interruption.watch, everything)
    seen = []
    for _ in range(3):
        interruption._note()
        await trio.testing.wait_all_tasks_blocked()
        seen.append((begun.is_set(), quick.cancel_called, everything.cancel_called))
    assert seen == [(True, False, False), (True, True, False), (True, True, True)]


async def test_the_first_signal_ends_everything_before_there_is_a_campaign(nursery: trio.Nursery):
    """While compiling there is nothing to end gently; a signal from before trio ran is not lost."""
    everything = trio.CancelScope()
    interruption = Interruption()
    interruption._note()
    await nursery.start(interruption.watch, everything)
    await trio.testing.wait_all_tasks_blocked()
    assert everything.cancel_called


def test_example_paths_are_relative_to_the_project(tmp_path: Path):
    """A Foundry test imports what Foundry finds from the project's root."""
    inside = Contract(str(tmp_path / "src" / "Fake.sol"), "Fake", "contract", (), b"", b"")
    project = Project(str(tmp_path), (Unit("0.8.30", "cancun", (), (inside,)),))
    settings = CampaignSettings(contract=inside.full_name)
    material = CampaignMaterial(None, settings, project, None, end(record(sequence=(CALL,))), None, None)
    assert next(iter(foundry_tests(material))).deployments[-1].import_path == "src/Fake.sol"
