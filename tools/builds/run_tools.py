"""Tools on runs, whichever tool started them: raw output, line ranges, status, cancel, list."""

from __future__ import annotations

from functools import partial
from typing import Any

from tools.builds import schemas
from tools.builds.context import BuildContext
from tools.builds.run_control import CancelInput, ListInput, StatusInput, run_cancel, run_list, run_status
from tools.builds.run_reading import LogRangeInput, RawInput, run_log_range, run_raw
from tools.tool import Annotations, Deadline, Family, Scope, Tool


def run_tools(context: BuildContext) -> tuple[Tool[Any], ...]:
    """The five tools, over one runner."""
    return (_raw(context), _log_range(context), _status(context), _cancel(context), _list(context))


def _raw(context: BuildContext) -> Tool[RawInput]:
    return Tool(
        name="run_raw",
        aliases=("run.raw",),
        family=Family.BUILDS,
        description="Raw output of a run by byte offset, also while it runs. Only when diagnostics are not enough.",
        arguments=RawInput,
        call=partial(run_raw, context.runner),
        deadline=Deadline.CAMPAIGN,
        annotations=Annotations.looking("Raw output of a run"),
        output_schema=schemas.RUN_RAW,
    )


def _log_range(context: BuildContext) -> Tool[LogRangeInput]:
    return Tool(
        name="run_logRange",
        aliases=("run.logRange",),
        family=Family.BUILDS,
        description="Lines of a run's output, such as those around a diagnostic's logRange, also while it runs.",
        arguments=LogRangeInput,
        call=partial(run_log_range, context.runner),
        deadline=Deadline.CAMPAIGN,
        annotations=Annotations.looking("Lines of a run's output"),
        output_schema=schemas.RUN_LOG_RANGE,
    )


def _status(context: BuildContext) -> Tool[StatusInput]:
    return Tool(
        name="run_status",
        aliases=("run.status",),
        family=Family.BUILDS,
        description="Status of a run and, once it is over, its diagnostics. waitSeconds waits for the end.",
        arguments=StatusInput,
        call=partial(run_status, context),
        deadline=Deadline.PROCESS,
        annotations=Annotations.looking("Status of a run"),
        output_schema=schemas.RUN_STATUS,
    )


def _cancel(context: BuildContext) -> Tool[CancelInput]:
    return Tool(
        name="run_cancel",
        aliases=("run.cancel",),
        family=Family.BUILDS,
        description="Stop a queued or running run with all its processes.",
        arguments=CancelInput,
        call=partial(run_cancel, context.runner),
        deadline=Deadline.PROCESS,
        annotations=Annotations(title="Cancel a run", read_only=False, destructive=True, idempotent=True),
        output_schema=schemas.RUN_CANCEL,
        scope=Scope.CONTROL,
    )


def _list(context: BuildContext) -> Tool[ListInput]:
    return Tool(
        name="run_list",
        aliases=("run.list",),
        family=Family.BUILDS,
        description="Kept runs, newest first: builds, tests, and what campaigns compiled.",
        arguments=ListInput,
        call=partial(run_list, context.runner),
        deadline=Deadline.ANALYSIS,
        annotations=Annotations.looking("List of runs"),
        output_schema=schemas.RUN_LIST,
    )
