"""Errors of the assembly."""

from __future__ import annotations


class CampaignFolderError(Exception):
    """A folder of the campaign cannot be used; the message names it and says why."""

    code = "E_FOLDER"


class CampaignFailed(Exception):  # noqa: N818  # it says what happened
    """The campaign could not be carried out and found nothing: no worker could be kept running."""

    code = "E_CAMPAIGN"


class ExecutorUnavailable(Exception):  # noqa: N818  # it says what happened
    """There is nothing to run workers on; the message says what to do."""

    code = "E_EXECUTOR"


class EndedWithFindings(Exception):  # noqa: N818  # it says what happened
    """Signals ended the campaign at once: tests had failed, and there was no time for a report."""

    code = "E_ENDED_WITH_FINDINGS"
