"""`start_mutation`, `list_survivors` and `get_mutant`: which faults in the code under test the tests do not notice."""

from __future__ import annotations

from typing import Annotated, Any, Protocol

from pydantic import BeforeValidator, Field

from actors.mutation.campaign import MutationCampaign, found_by_id
from actors.mutation.results import MutantFacts, MutantResult, facts_of, telling_survivors, total_score
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.extensions.findings import FindingCall, readable_calls
from tools.campaign.fields import Integer, array
from tools.campaign.publishing import acting, looking
from tools.campaign.results import ToolResult, answer_of
from tools.errors import ErrorCode, ToolError
from tools.tool import Answer, Tool, ToolInput

MAX_LISTED = 100
NameText = Annotated[str, Field(min_length=1, max_length=1_000)]


class StartMutationInput(ToolInput):
    mutants: Integer = Field(default=200, ge=1, le=10_000, description="Try at most so many, spread over the lines.")
    calls_each: Integer = Field(
        default=20_000, ge=0, le=10_000_000, alias="callsEach", description="Calls for one that survives the corpus."
    )
    seconds_each: float = Field(
        default=10.0, gt=0, le=3_600, alias="secondsEach", description="Processor time of its fuzzing, at most."
    )
    seconds: float | None = Field(
        default=None,
        gt=0,
        le=86_400,
        description="End after so many seconds, with what was tried by then; null: never.",
    )
    only: Annotated[tuple[NameText, ...], BeforeValidator(array), Field(max_length=64)] = Field(
        default=(), description="Files, contracts, functions or Contract.function to change; empty: what is under test."
    )


class ListSurvivorsInput(ToolInput):
    limit: Integer = Field(default=10, ge=1, le=MAX_LISTED)


class GetMutantInput(ToolInput):
    id: NameText = Field(description="Id from list_survivors, or its beginning.")


class MutationStarted(ToolResult, frozen=True):
    """The mutants are chosen first; list_survivors tells how far it is."""

    started: bool
    message: str


class Survivor(ToolResult, frozen=True):
    """A fault that no test noticed. `reached` is false where no sequence of the corpus comes to its place."""

    id: str
    file: str
    line: int
    function: str
    description: str
    calls: int
    reached: bool


class SurvivorsResult(ToolResult, frozen=True):
    """Progress of the run, and the most telling survivors first. `failing` are tests that fail without any mutant
    and notice none; `notes` say what was decided or left out, `failure` why the run ended before its time."""

    running: bool
    total: int
    killed: int
    survived: int
    stillborn: int
    score: float | None
    survivors: tuple[Survivor, ...]
    failing: tuple[str, ...]
    notes: tuple[str, ...]
    failure: str


class MutantAnswer(ToolResult, MutantFacts, frozen=True, kw_only=True):
    """One mutant. `reproducer` is the sequence after which the first of `killed_by` failed."""

    reproducer: tuple[FindingCall, ...]


class Mutations(Protocol):
    """The runs of a server, one after the other. `notes` and `failure` are those of the last one."""

    notes: list[str]
    failure: str

    @property
    def current(self) -> MutationCampaign | None:
        """The last run, None before its mutants are chosen."""
        ...

    @property
    def busy(self) -> bool:
        """A run is under way."""
        ...

    def start(self, parts: CampaignComponents, inputs: StartMutationInput) -> None:
        """Begin one; returns at once."""
        ...


class MutationTools:
    """`mutations` None is a server that cannot run any."""

    def __init__(self, access: CampaignAccess, mutations: Mutations | None) -> None:
        self._access = access
        self._mutations = mutations
        self._tried: CampaignComponents | None = None

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            acting(
                "start_mutation",
                "Makes faulty versions of the code under test and asks which of them the tests notice, with the corpus"
                " as it is. Answers at once; list_survivors tells what came of it. Use it when all tests pass.",
                (StartMutationInput, MutationStarted),
                self.start,
                idempotent=False,
            ),
            looking(
                "list_survivors",
                "Faults that no test notices, the most telling first, and how far the run is. Each asks for a stronger"
                " property.",
                (ListSurvivorsInput, SurvivorsResult),
                self.survivors,
                of_campaign=False,
            ),
            looking(
                "get_mutant",
                "One mutant: its change, its status, and the sequence by which a test noticed it.",
                (GetMutantInput, MutantAnswer),
                self.mutant,
                of_campaign=False,
            ),
        )

    async def start(self, inputs: StartMutationInput) -> Answer:
        if self._mutations is None:
            message = "This server runs no mutants; monotreme mutate does"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_AVAILABLE")
        if self._mutations.busy:
            message = "Mutants are being tried already; list_survivors tells how far that is"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="MUTATION_RUNNING")
        self._tried = self._access.current
        self._mutations.start(self._tried, inputs)
        return answer_of(MutationStarted(True, "Choosing mutants; list_survivors tells how far it is"))

    async def survivors(self, inputs: ListSurvivorsInput) -> Answer:
        mutations = self._mutations
        if mutations is None or (mutations.current is None and not mutations.busy and not mutations.failure):
            raise _nothing()
        run = mutations.current
        results = run.results() if run is not None else ()
        score = total_score(results)
        begun = run.begun if run is not None else None
        return answer_of(
            SurvivorsResult(
                running=mutations.busy,
                total=run.status().total if run is not None else 0,
                killed=score.killed,
                survived=score.survived,
                stillborn=score.stillborn,
                score=score.share,
                survivors=tuple(_survivor(each) for each in telling_survivors(results)[: inputs.limit]),
                failing=begun.failing if begun is not None else (),
                notes=tuple(mutations.notes),
                failure=mutations.failure,
            )
        )

    async def mutant(self, inputs: GetMutantInput) -> Answer:
        run = self._mutations.current if self._mutations is not None else None
        if run is None:
            raise _nothing()
        result = found_by_id(run.results(), inputs.id)
        if result is None:
            message = f"no mutant {inputs.id[:100]!r} has been tried; list_survivors lists survivors"
            raise ToolError(ErrorCode.INVALID_INPUT, message, reason="NOT_FOUND")
        calls = readable_calls(self._tried or self._access.current, result.kills[0].sequence) if result.kills else ()
        return answer_of(MutantAnswer(**facts_of(result), reproducer=calls))


def _nothing() -> ToolError:
    return ToolError(ErrorCode.INVALID_INPUT, "No mutants have been tried; start_mutation does", reason="NOT_FOUND")


def _survivor(result: MutantResult) -> Survivor:
    mutant = result.mutant
    return Survivor(
        mutant.id, mutant.file, mutant.line, mutant.function, mutant.description, result.calls, result.reached
    )
