"""Everything that a verdict on a campaign is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.frontier import FrontierSite
from simulator.fuzz.checking.oracles import TestKind
from simulator.health.observations import Observations, TestActivity
from simulator.health.sources import SourceIndex, has_short_assertions
from simulator.project import Project
from simulator.settings import CampaignSettings


@dataclass(frozen=True)
class CheckedTest:
    """A test that workers check. `id` is its index among the activities."""

    id: int
    name: str
    kind: TestKind
    contract: str
    passed: bool


@dataclass(frozen=True)
class CalledFunction:
    """A function that sequences may call, with its totals. `excluded` when an agent took it out."""

    contract: str
    signature: str
    payable: bool
    calls: int
    reverts: int
    excluded: bool = False

    @property
    def name(self) -> str:
        return self.signature.partition("(")[0]

    @property
    def never_succeeded(self) -> bool:
        return 0 < self.calls == self.reverts


@dataclass(frozen=True)
class Evidence:
    """`calls` of random sequences were made. `functions` by index. `deployed` are the full names (`path:Name`) of the
    contracts that stood at the start. `files` and `frontier` leave out what coverage reports leave out."""

    settings: CampaignSettings
    project: Project
    calls: int
    tests: tuple[CheckedTest, ...]
    functions: tuple[CalledFunction, ...]
    deployed: tuple[str, ...] = ()
    files: tuple[FileCoverage, ...] = ()
    frontier: tuple[FrontierSite, ...] = ()
    codes: tuple[CodeCoverage, ...] = ()
    observations: Observations = field(default_factory=Observations)

    @cached_property
    def sources(self) -> SourceIndex:
        return SourceIndex(self.files)

    @cached_property
    def has_short_assertions(self) -> bool:
        """Return whether `t`, `eq` and the like are assertions of this project."""
        return has_short_assertions(source.content for unit in self.project.units for source in unit.sources)

    @property
    def knows_writes(self) -> bool:
        """Return whether the notes on tests are of most calls. Of those of a campaign that is continued there are
        none."""
        return 0 < self.calls <= 2 * self.observations.calls

    def activity(self, test: CheckedTest) -> TestActivity | None:
        """Return the activity of checking this test; None where no worker has told."""
        known = self.observations.tests
        return known[test.id] if 0 <= test.id < len(known) else None
