"""The folder of exported Foundry tests: written, executed, and marked with what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from orchestrator.assembly.foundry_reproducers import foundry_test_of, why_not_exported
from orchestrator.assembly.result import CampaignMaterial
from orchestrator.report.model import ExportReport
from simulator.compile import Runner
from simulator.compile.source_plan import plan_sources
from simulator.corpus.store import FOUNDRY_FOLDER, write_new
from simulator.errors import CorpusError, SimulatorError
from simulator.files.regular_file import open_regular
from simulator.foundry_tests.checking import (
    CheckSurroundings,
    Export,
    check_exports,
    has_older,
    older_sources,
    settings_file,
    usable_forge,
)
from simulator.foundry_tests.deployments import libraries
from simulator.foundry_tests.folder_files import MARK, README_TITLE, readme
from simulator.foundry_tests.forge import run_arguments
from simulator.foundry_tests.outcome import Verification, unverified
from simulator.foundry_tests.rendering import VERDICTS, file_name, render_foundry_test

SETTINGS_FILE = "foundry.toml"
README_FILE = "README.md"
MAX_FILE = 16 << 20


@dataclass
class Exports:
    """Paths of the written exports. `reports` are by the id of the finding; `problems` are sentences for people."""

    reports: dict[int, ExportReport] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class ExportFolder:
    """The exports of one campaign. Every method blocks on the disk."""

    def __init__(self, material: CampaignMaterial, corpus: Path, name: str = FOUNDRY_FOLDER) -> None:
        self._material = material
        self._folder = corpus / name
        self._options = material.request.compile_options()
        self._exports: list[Export] = []
        self._ids: list[int] = []
        self.done = Exports()

    def write(self) -> None:
        """Write a test for each finding that forge can check, not yet executed, with the files beside them."""
        self._render()
        if not self._exports:
            return
        self._put_all({})
        for name, source in older_sources(self._exports, self._material.project).items():
            self._put(self._folder / name, source, lambda text: text.startswith("pragma solidity"))
        self._write_settings()

    def check(self, run: Runner, tell: Callable[[str], None]) -> None:
        """Execute the tests and mark their files. Raises what `run` raises to cancel."""
        if self._exports:
            self._put_all(check_exports(self._exports, self._surroundings(), run, tell))

    def skip(self, reason: str) -> None:
        """Say in the files why the tests were not executed."""
        self._put_all({file_name(each.test): unverified(reason) for each in self._exports})

    def _render(self) -> None:
        for record in self._material.end.tests:
            reason = why_not_exported(record, self._material.settings) if record.falsified else None
            try:
                test = foundry_test_of(record, self._material)
                if test is not None:
                    self._exports.append(Export(test, render_foundry_test(test, self._material.book.abi)))
                    self._ids.append(record.info.id)
            except SimulatorError as error:
                reason = str(error).partition("\n")[0]
            if reason is not None:
                self.done.reports[record.info.id] = ExportReport(None, False, f"No Foundry test: {reason}.")

    def _surroundings(self) -> CheckSurroundings:
        project, settings = self._material.project, self._material.settings
        return CheckSurroundings(
            self._folder.resolve(),
            project,
            self._options,
            libraries(project, settings),
            settings.allow_ffi,
            usable_forge(self._material.request.policy),
            settings.fork,
        )

    def _write_settings(self) -> None:
        around = self._surroundings()
        files = [around.folder / file_name(each.test) for each in self._exports]
        files += [around.folder / name for name in older_sources(self._exports, self._material.project)]
        try:
            plan = plan_sources(self._material.project.folder, files, self._options)
            text = settings_file(self._exports, plan, around)
        except (SimulatorError, OSError) as error:
            self.done.problems.append(f"no {FOUNDRY_FOLDER}/{SETTINGS_FILE}: {str(error).partition(os.linesep)[0]}")
            return
        self._put(self._folder / SETTINGS_FILE, text, lambda old: old.startswith(MARK))

    def _put_all(self, verdicts: Mapping[str, Verification]) -> None:
        listed = []
        for id_, each in zip(self._ids, self._exports, strict=True):
            name = file_name(each.test)
            verdict = verdicts.get(name) or unverified("the campaign ended before")
            source = render_foundry_test(each.test, self._material.book.abi, verdict.text)
            if not self._put(self._folder / name, source, partial(_differs_in_verdict, source)):
                verdict = unverified("its file does not hold this test")
            path = str(self._folder / name)
            self.done.reports[id_] = ExportReport(path, verdict.is_verified, verdict.text)
            listed.append(f"`{name}`: {verdict.text}")
        if listed:
            text = readme(self._folder, run_arguments(has_older=has_older(self._exports)), listed)
            self._put(self._folder / README_FILE, text, lambda old: old.startswith(README_TITLE))

    def _put(self, path: Path, text: str, is_ours: Callable[[str], bool]) -> bool:
        """Write a file, in the place of one that this program wrote, never of another. Returns whether it holds the
        text now."""
        try:
            old = _read(path)
            if old == text:
                return True
            if old is not None and not is_ours(old):
                self._tell_problem(f"{path}: left as it is: it was changed, or written with other settings")
                return False
            fresh = path.with_name(f".{path.name}.new")
            with suppress(FileNotFoundError):
                fresh.unlink()
            write_new(fresh, text.encode())
            os.replace(fresh, path)
        except (CorpusError, OSError) as error:
            self._tell_problem(f"{path}: cannot be written: {error}")
            return False
        return True

    def _tell_problem(self, problem: str) -> None:
        """Once, although files are put there twice: before and after the tests are executed."""
        if problem not in self.done.problems:
            self.done.problems.append(problem)


def _read(path: Path) -> str | None:
    try:
        with open_regular(path) as file:
            return file.read(MAX_FILE).decode(errors="replace")
    except FileNotFoundError:
        return None


def _differs_in_verdict(one: str, other: str) -> bool:
    return _body(one) == _body(other)


def _body(source: str) -> list[str]:
    return [line for line in source.splitlines() if not line.startswith(VERDICTS)]
