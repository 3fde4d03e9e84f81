"""Tools on runs, whichever tool started them: raw output, line ranges, status, cancel, list."""

from __future__ import annotations

from functools import partial
from typing import Any

from tools import publishing
from tools.builds import schemas
from tools.builds.context import BuildContext
from tools.builds.run_control import CancelInput, ListInput, StatusInput, run_cancel, run_list, run_status
from tools.builds.run_reading import LogRangeInput, RawInput, run_log_range, run_raw
from tools.tool import Deadline, Family, Tool

looking = partial(publishing.looking, family=Family.BUILDS)
acting = partial(publishing.acting, family=Family.BUILDS)


def run_tools(context: BuildContext) -> tuple[Tool[Any], ...]:
    """The five tools, over one runner."""
    return (
        looking(
            "run_raw",
            "Raw output of a run by byte offset, also while it runs. Only when diagnostics are not enough.",
            (RawInput, schemas.RUN_RAW),
            partial(run_raw, context.runner),
            title="Raw output of a run",
            deadline=Deadline.CAMPAIGN,
            aliases=("run.raw",),
        ),
        looking(
            "run_logRange",
            "Lines of a run's output, such as those around a diagnostic's logRange, also while it runs.",
            (LogRangeInput, schemas.RUN_LOG_RANGE),
            partial(run_log_range, context.runner),
            title="Lines of a run's output",
            deadline=Deadline.CAMPAIGN,
            aliases=("run.logRange",),
        ),
        looking(
            "run_status",
            "Status of a run and, once it is over, its diagnostics. waitSeconds waits for the end.",
            (StatusInput, schemas.RUN_STATUS),
            partial(run_status, context),
            title="Status of a run",
            deadline=Deadline.PROCESS,
            aliases=("run.status",),
        ),
        acting(
            "run_cancel",
            "Stop a queued or running run with all its processes.",
            (CancelInput, schemas.RUN_CANCEL),
            partial(run_cancel, context.runner),
            title="Cancel a run",
            deadline=Deadline.PROCESS,
            aliases=("run.cancel",),
            destructive=True,
        ),
        looking(
            "run_list",
            "Kept runs of this project, newest first: builds, tests, and what campaigns compiled.",
            (ListInput, schemas.RUN_LIST),
            partial(run_list, context),
            title="List of runs",
            deadline=Deadline.ANALYSIS,
            aliases=("run.list",),
        ),
    )
