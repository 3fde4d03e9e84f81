"""`python -m benchmarks.exports`: every planted bug of `examples/` and `tests/quality/targets/` exported as a Foundry
test and executed, by forge (`FORGE` or PATH) and by our own EVM. `--searched` takes the findings of a campaign on each
target of the benchmarks instead.

Each test must fail, and pass where its calls are left out: else it would fail whatever the contract did."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import msgspec
import yaml

from benchmarks.finding import FindingTarget, targets_of
from benchmarks.measuring.finding_session import FindingSession
from benchmarks.measuring.tables import markdown_table
from orchestrator.assembly.foundry_reproducers import check_of, foundry_test
from simulator.abi.contract import ContractAbi
from simulator.compile import CompileOptions, compile_targets, run_process, select_contract
from simulator.corpus.echidna_json import AbiLookup, parse_sequence
from simulator.foundry_tests.checking import CheckSurroundings, Export, check_exports
from simulator.foundry_tests.deployments import libraries
from simulator.foundry_tests.model import CALL_CHECKS, FoundryTest
from simulator.foundry_tests.outcome import Verification
from simulator.foundry_tests.rendering import file_name, render_foundry_test
from simulator.fuzz.checking.oracles import ASSERTION_EVENT
from simulator.project import Project
from simulator.settings import CampaignSettings, TestMode

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
AS_IT_MUST = "fails as it must"
TARGETS = ROOT / "tests" / "quality" / "targets"
FOLDERS = tuple(ROOT / "benchmarks" / name for name in ("finding_targets", "held_out_targets", "directed_targets"))
SEARCH_CALLS = 300_000
SHRINK_ATTEMPTS = 1_000


@dataclass(frozen=True)
class Planted:
    """A bug that was planted, and the stored calls that show it. `value` is what the constructor gets."""

    paths: tuple[Path, ...]
    contract: str
    mode: str
    test: str
    reproducer: Path
    value: int = 0
    all_contracts: bool = False

    @property
    def name(self) -> str:
        place = self.paths[0].resolve().relative_to(ROOT)
        return f"{place}-{self.mode}-{self.test}"


@dataclass(frozen=True)
class Written:
    """An exported finding, and what it was made of."""

    export: Export
    project: Project
    settings: CampaignSettings


def planted() -> list[Planted]:
    """All that the repository has, in a stable order."""
    return [*_of_examples(), *_of_targets()]


def _of_examples() -> Iterator[Planted]:
    for expected in sorted(EXAMPLES.glob("*/expected.json")):
        folder = expected.parent
        for campaign in json.loads(expected.read_text())["campaigns"]:
            configuration = yaml.safe_load((folder / campaign["config"]).read_text())
            for test, finding in campaign["falsified"].items():
                yield Planted(
                    tuple(folder / path for path in campaign["paths"]),
                    campaign["contract"],
                    campaign["mode"],
                    test,
                    folder / finding["reproducer"],
                    configuration.get("balanceContract", 0),
                    configuration.get("allContracts", False),
                )


def _of_targets() -> Iterator[Planted]:
    for target in json.loads((TARGETS / "manifest.json").read_text())["targets"]:
        for test in target["falsified"]:
            paths = (TARGETS / target["file"],)
            reproducer = TARGETS / target["reproducer"]
            yield Planted(paths, target["contract"], target["mode"], test, reproducer)


def write(finding: Planted) -> Written:
    """Compile the target and render the finding's test. Raises `SimulatorError`."""
    project = compile_targets(finding.paths, CompileOptions())
    contract = select_contract(project, finding.contract)
    settings = CampaignSettings(
        contract=contract.full_name,
        test_mode=msgspec.convert(finding.mode, TestMode),
        contract_balance=finding.value.to_bytes(32, "big").lstrip(b"\0"),
    )
    return written(finding, project, settings)


def written(finding: Planted, project: Project, settings: CampaignSettings) -> Written:
    """The finding's test for a compiled target."""
    kind = "property" if finding.mode == "property" else "assertion"
    kind = "call" if finding.test == ASSERTION_EVENT else kind
    check = check_of(finding.test, kind, "", settings)
    if check is None:
        raise AssertionError(f"{finding.name}: no check")
    sequence = parse_sequence(finding.reproducer.read_bytes(), finding.reproducer.name)
    test = foundry_test(finding.test, sequence, check, project, settings)
    return _exported(test, project, settings)


def _exported(test: FoundryTest, project: Project, settings: CampaignSettings) -> Written:
    return Written(Export(test, render_foundry_test(test, abi_lookup(project, settings))), project, settings)


def harmless(one: Written) -> Written | None:
    """The same test without its calls, or with a last call that no function answers; None for what fails at once."""
    test = one.export.test
    if not test.sequence:
        return None
    last = msgspec.structs.replace(test.sequence[-1], data=b"\xfa\xce\xfa\xce", value=b"", seconds=0, blocks=0)
    sequence = (last,) if isinstance(test.check, CALL_CHECKS) else ()
    return _exported(replace(test, sequence=sequence), one.project, one.settings)


def searched(only: str) -> Iterator[tuple[str, Written]]:
    """The findings of a short campaign on each target of the benchmarks, by target and test."""
    for folder in FOLDERS:
        for target in targets_of(folder):
            if only in target.name:
                yield from _findings(target)


def _findings(target: FindingTarget) -> Iterator[tuple[str, Written]]:
    with tempfile.TemporaryDirectory() as name:
        file, settings = target.compile(Path(name))
        session = FindingSession(file, settings, seed=1)
        session.fuzz(SEARCH_CALLS)
        project = msgspec.msgpack.decode(file.read_bytes(), type=Project)
        for failure in session.failures():
            oracle = session.worker.oracles[failure.test]
            check = check_of(oracle.name, oracle.kind, failure.value, settings)
            if check is not None:
                sequence = session.shrink(failure, SHRINK_ATTEMPTS).sequence
                test = foundry_test(oracle.name, sequence, check, project, settings)
                yield f"{target.name}: {oracle.name}", _exported(test, project, settings)


def abi_lookup(project: Project, settings: CampaignSettings) -> AbiLookup:
    """The ABI of the target at its address."""
    target = next(each for each in project.contracts if each.full_name == settings.contract)
    abi = ContractAbi.from_json(target.abi)
    return lambda address: abi if address == settings.contract_address else None


def run(one: Written, folder: Path, forge: str | None, options: CompileOptions | None = None) -> Verification:
    """Execute an exported finding, by our own EVM without `forge`."""
    return _run([one], folder, forge, options)[0]


def _run(
    several: Sequence[Written], folder: Path, forge: str | None, options: CompileOptions | None = None
) -> list[Verification]:
    one = several[0]
    around = CheckSurroundings(
        folder,
        one.project,
        options or CompileOptions(),
        libraries(one.project, one.settings),
        forge=forge,
    )
    verdicts = check_exports([each.export for each in several], around, run_process)
    return [verdicts[file_name(each.export.test)] for each in several]


def find_forge() -> str | None:
    return os.environ.get("FORGE") or shutil.which("forge")


def rows(
    findings: Iterable[tuple[str, Written]], forge: str | None, tell: Callable[[str], None]
) -> Iterator[tuple[str, str, str]]:
    """Finding, forge's verdict, our own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, one in findings:
            without = harmless(one)
            both = [one] if without is None else [one, without]
            by_forge = _verdict(_run(both, Path(folder), forge), "forge") if forge else "no forge"
            row = (name, by_forge, _verdict(_run(both, Path(folder), None), "Monotreme"))
            tell(" | ".join(row))
            yield row


def _verdict(verdicts: Sequence[Verification], program: str) -> str:
    said = verdict_of(verdicts[0], program)
    if said == AS_IT_MUST and len(verdicts) > 1 and "it passed" not in verdicts[1].text:
        return f"without its calls: {verdicts[1].text}"
    return said


def verdict_of(verdict: Verification | None, program: str) -> str:
    """AS_IT_MUST where this program verified the test, else what it said."""
    if verdict is None:
        return "no forge"
    return AS_IT_MUST if verdict.is_verified and verdict.text.startswith(f"Verified: {program}") else verdict.text


@click.command()
@click.option("--only", default="", help="Only findings whose name contains this text.")
@click.option("--searched", "searches", is_flag=True, help="The findings of campaigns on the benchmarks' targets.")
def main(only: str, searches: bool) -> None:
    """Print the table; exit code 1 when a test does not fail as it must."""
    stored = ((each.name, write(each)) for each in planted() if only in each.name)
    table: Sequence[tuple[str, str, str]] = list(
        rows(searched(only) if searches else stored, find_forge(), lambda line: click.echo(line, err=True))
    )
    click.echo("\n".join(markdown_table(("finding", "forge", "own EVM"), table)))
    wrong = [row for row in table if row[1] not in (AS_IT_MUST, "no forge") or row[2] != AS_IT_MUST]
    click.echo(f"{len(table) - len(wrong)} of {len(table)} as they must")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
