"""Begin, pause, resume, stop; limits; workers; reading the corpus folder again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from actors.steering.commands import Pause, ReloadCorpus, ResetTests, Resume, SetLimits, SetWorkers, Stop
from simulator.modes.table import MODE_NAMES, mode_name
from tools.campaign.access import CampaignAccess
from tools.campaign.extensions.comparison import ComparisonResult
from tools.campaign.fields import Integer, Optional, array
from tools.campaign.inputs import NoInput
from tools.campaign.naming import finding, finding_id
from tools.campaign.publishing import acting
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.errors import ErrorCode, ToolError
from tools.roots import MAX_PATH_LENGTH
from tools.schemas import NOT_NULL
from tools.tool import Answer, Deadline, JsonObject, Tool, ToolInput

TestMode = Annotated[str, Field(json_schema_extra={"enum": list(MODE_NAMES)}), AfterValidator(mode_name)]
FindingId = Annotated[str, Field(min_length=1, max_length=1_000)]
PathText = Annotated[str, Field(min_length=1, max_length=MAX_PATH_LENGTH)]
MAX_CAMPAIGN_SECONDS = 10 * 365 * 86_400
MAX_SETTINGS = 200
MAX_RESTART_SECONDS = 45.0


class TargetInput(ToolInput):
    paths: Annotated[tuple[PathText, ...], BeforeValidator(array), Field(min_length=1, max_length=64)] = Field(
        description="Solidity files, folders or a Foundry project, inside the allowed roots."
    )
    contract: str | None = Field(default=None, max_length=1_000, description="Name or path:Name; left out: chosen.")
    config: PathText | None = Field(default=None, description="Configuration in Echidna's YAML; the rest overrides it.")
    test_mode: TestMode | None = Field(default=None, alias="testMode")
    call_limit: Integer | None = Field(default=None, ge=0, le=2**53, alias="callLimit", description="Calls to execute.")
    time_limit: float | None = Field(
        default=None, gt=0, le=MAX_CAMPAIGN_SECONDS, alias="timeLimit", description="Seconds to fuzz."
    )
    workers: Integer | None = Field(default=None, ge=1, le=255)
    seed: Integer | None = Field(default=None, ge=0, le=2**53)
    corpus_dir: PathText | None = Field(
        default=None, alias="corpusDir", description="Folder to replay the corpus from and save it to."
    )
    settings: dict[str, Any] = Field(
        default_factory=dict,
        max_length=MAX_SETTINGS,
        description='Any other keys of a configuration file: {"seqLen": 50, "allContracts": true, "sender": [...]}.',
    )


class StartCampaignInput(TargetInput):
    paused: bool = Field(
        default=False, description="Compile and deploy, and fuzz once resume_campaign is called; no time passes before."
    )


class RestartInput(ToolInput):
    wait: float = Field(
        default=30.0,
        ge=0,
        le=MAX_RESTART_SECONDS,
        description="Seconds to wait for the new campaign to replay its corpus, and compare it; 0: not at all.",
    )


class SetLimitsInput(ToolInput):
    call_limit: Integer | None = Field(
        default=None, ge=0, le=2**53, alias="callLimit", description="Calls since the start; null: no such limit."
    )
    time_limit: float | None = Field(
        default=None,
        ge=0,
        le=MAX_CAMPAIGN_SECONDS,
        alias="timeLimit",
        description="Seconds of fuzzing; null: no limit.",
    )
    coverage_limit: float | None = Field(
        default=None,
        ge=0,
        le=MAX_CAMPAIGN_SECONDS,
        alias="coverageLimit",
        description="Seconds without new coverage; null: no such limit.",
    )
    shrink_limit: Annotated[Integer | None, Optional] = Field(
        default=None,
        ge=0,
        le=2**53,
        alias="shrinkLimit",
        description="Executions for shrinking one finding.",
        json_schema_extra={NOT_NULL: True},
    )

    def normal_form(self) -> JsonObject:
        """Null and left out are different here."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class SetWorkersInput(ToolInput):
    workers: Integer = Field(ge=1, le=255, description="Workers that are to run from now on.")


class WorkersResult(ToolResult, frozen=True):
    """Workers that are to run, and those before."""

    workers: int
    before: int


class ChangedResult(ToolResult, frozen=True):
    """`changed` is false when it was so already."""

    changed: bool


class StartedResult(ToolResult, frozen=True):
    """The campaign compiles first; status tells when it fuzzes. Other tools take `campaign_id`, which may be left out
    while one campaign runs."""

    started: bool
    message: str
    campaign_id: str


class RestartedResult(ToolResult, frozen=True):
    """`comparison` tells what changed once the corpus was replayed; null where that takes longer than was waited, and
    compare_campaigns tells it later."""

    started: bool
    message: str
    comparison: ComparisonResult | None
    campaign_id: str


class LimitsResult(ToolResult, frozen=True):
    """The limits that hold from now on; null for none."""

    call_limit: int | None
    time_limit: float | None
    coverage_limit: float | None
    shrink_limit: int


class ResetTestsInput(ToolInput):
    ids: Annotated[tuple[FindingId, ...], BeforeValidator(array), Field(max_length=1_000)] = Field(
        default=(), description="Ids from list_findings; left out or empty: all tests."
    )


class TestsResult(ToolResult, frozen=True):
    """Ids of the tests that were decided and are open again; those that are being shrunk stay as they are."""

    __test__ = False

    reset: tuple[str, ...]


class ReloadedResult(ToolResult, frozen=True):
    """`sequences` were not in the corpus before and are replayed; `problems` name files that were left alone."""

    sequences: int
    problems: tuple[str, ...]


Start = Callable[[StartCampaignInput], Awaitable[StartedResult]]
"""Begins a campaign and says what it is. Raises `ToolError`."""


Restart = Callable[[float], Awaitable[RestartedResult]]
"""Ends the campaign, begins it again from its sources, and says what it is. Compares both where the second has replayed
its corpus within so many seconds. Raises `ToolError`."""


class LifeTools:
    """`start` None is a server whose campaign was chosen on the command line."""

    def __init__(self, access: CampaignAccess, start: Start | None, restart: Restart | None = None) -> None:
        self._access = access
        self._start = start
        self._restart = restart

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            acting(
                "start_campaign",
                "Begins a campaign on Solidity sources, beside those that run. Answers at once with its id; compiling"
                " continues, and status tells when it fuzzes.",
                (StartCampaignInput, StartedResult),
                self.start,
                idempotent=False,
                of_campaign=False,
            ),
            acting(
                "restart_campaign",
                "Ends the campaign and begins it again from its sources as they are now, with its settings and the"
                " corpus of its corpusDir, and tells what changed: tests, findings, lines. Use it after changing a"
                " harness or a contract.",
                (RestartInput, RestartedResult),
                self.restart,
                deadline=Deadline.PROCESS,
                destructive=True,
                idempotent=False,
            ),
            *self._turning(),
            acting(
                "set_limits",
                "Changes limits of the running campaign: calls, seconds, seconds without new coverage, shrinking. What"
                " is left out stays; null takes a limit away. Use it to give a promising campaign more time.",
                (SetLimitsInput, LimitsResult),
                self.set_limits,
            ),
            acting(
                "set_workers",
                "Changes how many workers fuzz. Those that leave give their budget back. Use it to free a core, or to"
                " use one more.",
                (SetWorkersInput, WorkersResult),
                self.set_workers,
            ),
            acting(
                "reset_tests",
                "Checks tests again that were decided, as if they had never failed. What was found stays in the corpus."
                " Use it with set_limits to let an idle campaign continue.",
                (ResetTestsInput, TestsResult),
                self.reset_tests,
            ),
            acting(
                "reload_corpus",
                "Reads the corpus folder again and replays what is new in it. Use it after adding corpus files.",
                (NoInput, ReloadedResult),
                self.reload_corpus,
                deadline=Deadline.ANALYSIS,
            ),
        )

    def _turning(self) -> tuple[Tool[Any], ...]:
        types = (NoInput, ChangedResult)
        return (
            acting(
                "pause_campaign",
                "Lets the workers rest until resume_campaign; no time passes meanwhile. Use it to think, or to free the"
                " machine.",
                types,
                self.pause,
            ),
            acting("resume_campaign", "Lets the workers continue after pause_campaign.", types, self.resume),
            acting(
                "stop_campaign",
                "Ends the campaign: what was found is kept and reported, nothing more is shrunk. It cannot be resumed.",
                types,
                self.stop,
                destructive=True,
            ),
        )

    async def restart(self, inputs: RestartInput) -> Answer:
        if self._restart is None:
            raise not_available()
        return answer_of(await self._restart(inputs.wait))

    async def start(self, inputs: StartCampaignInput) -> Answer:
        if self._start is None:
            raise not_available()
        return answer_of(await self._start(inputs))

    async def pause(self, inputs: NoInput) -> Answer:
        return _changed((await steer(self._access, Pause())).changed)

    async def resume(self, inputs: NoInput) -> Answer:
        return _changed((await steer(self._access, Resume())).changed)

    async def stop(self, inputs: NoInput) -> Answer:
        place = self._access.place
        if place.parts is None and place.phase and place.give_up is not None:
            place.give_up()
            return _changed(True)
        return _changed((await steer(self._access, Stop())).changed)

    async def set_limits(self, inputs: SetLimitsInput) -> Answer:
        given = {name: getattr(inputs, name) for name in inputs.model_fields_set}
        limits = await steer(self._access, SetLimits(**given))
        return answer_of(LimitsResult(limits.call_limit, limits.time_limit, limits.coverage_limit, limits.shrink_limit))

    async def set_workers(self, inputs: SetWorkersInput) -> Answer:
        done = await steer(self._access, SetWorkers(inputs.workers))
        return answer_of(WorkersResult(done.workers, done.before))

    async def reset_tests(self, inputs: ResetTestsInput) -> Answer:
        parts = self._access.current
        tests = tuple(parts.campaign.status().tests.index(finding(parts, name)) for name in inputs.ids)
        done = await steer(self._access, ResetTests(tests))
        records = parts.campaign.status().tests
        return answer_of(TestsResult(tuple(finding_id(records[test]) for test in done.tests)))

    async def reload_corpus(self, inputs: NoInput) -> Answer:
        done = await steer(self._access, ReloadCorpus())
        return answer_of(ReloadedResult(done.sequences, done.problems[:100]))


def not_available() -> ToolError:
    """For servers that begin no campaigns."""
    message = "This server belongs to the campaign of its command line and begins no other"
    return ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_AVAILABLE")


def _changed(changed: bool) -> Answer:
    return answer_of(ChangedResult(changed))
