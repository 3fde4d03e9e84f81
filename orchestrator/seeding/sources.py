"""First entries of a corpus: from the project's own tests and scripts, and from files that the user names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import trio

from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.request import CampaignRequest
from simulator.abi.contract import ContractAbi
from simulator.compile import Runner, compile_targets
from simulator.compile.diagnostics import CompilationFailed
from simulator.compile.options import CompileOptions
from simulator.compile.projects.foundry_config import load_foundry_config
from simulator.compile.projects.targets import solidity_files
from simulator.compile.solc.runner import ProcessError
from simulator.corpus.transaction_list import Recipient, read_sequences
from simulator.encoding import encode_msgpack
from simulator.errors import CorpusError, SimulatorError
from simulator.own_process import module_command
from simulator.printable import one_line, shown_path
from simulator.project import Contract, Project
from simulator.seeding.model import SeedingRequest, Seeds
from simulator.seeding.unit_tests import seeding_contracts
from simulator.settings import CampaignSettings
from simulator.trace.address_book import AddressBook
from simulator.transaction import Sequence as Calls

SECONDS = 300.0
"""After which tests are given up. What they may do is limited by gas long before."""
SCRIPTS = "script"
TESTS_FILE = "tests.project"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class SeedSource:
    """Target that seeds are taken for: the compiled target, also as the file `path`, and the settings of its
    campaign. `say` hears a sentence for each source."""

    request: CampaignRequest
    project: Project
    path: Path
    settings: CampaignSettings
    say: Tell
    tell: Tell


async def take_seeds(source: SeedSource, run: Runner) -> tuple[Calls, ...]:
    """The sequences to begin with: those of named files, then those of tests. Raises `ConfigurationError` for a file
    that is wrong; tests that cannot be executed are told of."""
    return await trio.to_thread.run_sync(partial(_take, source, run))


def _take(source: SeedSource, run: Runner) -> tuple[Calls, ...]:
    return tuple(dict.fromkeys([*_from_files(source), *_from_tests(source, run)]))


def _from_files(source: SeedSource) -> Iterator[Calls]:
    paths = [Path(name) for name in source.request.configuration.seed_sequences]
    if not paths:
        return
    recipient = _recipient(source)
    for path in paths:
        try:
            found = read_sequences(path, recipient)
        except CorpusError as error:
            raise ConfigurationError(f"seedSequences: {error}") from None
        source.say(f"Seeds: {_counted(found)} from {shown_path(path)}")
        yield from found


def _recipient(source: SeedSource) -> Recipient:
    settings, address = source.settings, source.settings.contract_address
    contract = _fuzzed(source.project, settings)
    book = AddressBook.from_project(source.project, [(address, settings.contract)])
    abi = ContractAbi.from_json(contract.abi)
    return Recipient(address, abi, settings.senders[0], settings.transaction_gas, book.abi)


def _fuzzed(project: Project, settings: CampaignSettings) -> Contract:
    return next(each for each in project.contracts if each.full_name == settings.contract)


# --- tests ------------------------------------------------------------------------------------------------------------


def _from_tests(source: SeedSource, run: Runner) -> tuple[Calls, ...]:
    choice = source.request.configuration.seed_tests
    if choice == "none":
        return ()
    try:
        if choice == "project":
            tests, path = _compiled_tests(source, run)
        else:
            tests, path = source.project, source.path
        if not seeding_contracts(tests, source.settings.contract):
            _say_of_none(source)
            return ()
        return _executed(source, path, run)
    except CompilationFailed as error:
        source.say(f"Seeds: none from tests, which do not compile: {_first_line(error)}; --seed-tests none: without")
    except (SimulatorError, OSError, msgspec.DecodeError) as error:
        source.say(f"Seeds: none from tests: {_first_line(error)}; --seed-tests none: without")
    return ()


def _compiled_tests(source: SeedSource, run: Runner) -> tuple[Project, Path]:
    """The tests and scripts of a Foundry project, as the target is compiled."""
    folders = list(_test_folders(source))
    if not folders:
        raise ProcessError(f"{shown_path(source.project.folder)} has no foundry.toml with a folder of tests")
    source.tell("compiling the project's tests")
    options: CompileOptions = msgspec.structs.replace(source.request.compile_options(), contracts=())
    tests = compile_targets(folders, options, run=run, progress=source.tell)
    path = source.path.parent / TESTS_FILE
    path.write_bytes(encode_msgpack(tests))
    return tests, path


def _test_folders(source: SeedSource) -> Iterator[Path]:
    root = source.project.folder
    if (root / "foundry.toml").is_file():
        config = load_foundry_config(root, policy=source.request.policy)
        # As in older projects, tests may stand among the sources.
        tests = config.test if (root / config.test).is_dir() else config.source
        for name in dict.fromkeys((tests, SCRIPTS)):
            if (root / name).is_dir() and any(solidity_files(root / name)):
                yield root / name


def _executed(source: SeedSource, path: Path, run: Runner) -> tuple[Calls, ...]:
    source.tell("executing the project's tests for their calls")
    question = SeedingRequest(os.fsencode(source.path), os.fsencode(path), source.settings)
    answer = run(module_command("simulator.seeding"), encode_msgpack(question), source.path.parent, SECONDS)
    if answer.returncode:
        lines = answer.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {answer.returncode}"]
        raise ProcessError(lines[-1])
    seeds = msgspec.msgpack.decode(answer.stdout, type=Seeds)
    source.say(_told(seeds))
    return seeds.sequences


def _told(seeds: Seeds) -> str:
    rest = [
        f"{_number(seeds.failed, 'test contract')} could not be set up" if seeds.failed else "",
        f"{seeds.unread} tests are over the limits" if seeds.unread else "",
        "--seed-tests none: without",
    ]
    taken = _counted(seeds.sequences) if seeds.sequences else "none"
    tests = f"{seeds.used} of {_number(seeds.tests, 'test')} in {_number(seeds.contracts, 'contract')} of the project"
    return f"Seeds: {taken} from {tests}; {'; '.join(filter(None, rest))}"


def _say_of_none(source: SeedSource) -> None:
    """That there are tests which nobody compiled is worth a word."""
    if source.request.configuration.seed_tests == "project":
        source.say("Seeds: none from tests: the project's tests and scripts have nothing to execute")
        return
    held = {each.path for unit in source.project.units for each in unit.sources}
    root = source.project.folder
    files = [file for folder in _test_folders(source) for file in solidity_files(folder)]
    others = [file for file in files if str(file.relative_to(root)) not in held]
    if others:
        source.say(
            f"Seeds: none from tests; of the project's tests and scripts, {_number(len(others), 'file')} not compiled"
            " with the target: --seed-tests project compiles and executes them"
        )


def _counted(sequences: Sequence[Calls]) -> str:
    return f"{_number(len(sequences), 'sequence')} of {_number(sum(map(len, sequences)), 'call')}"


def _number(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _first_line(error: Exception) -> str:
    return one_line(str(error).strip().partition("\n")[0])
