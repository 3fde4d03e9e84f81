"""The folders that a campaign writes to, before it does: a project may contain them, with links in them."""

from __future__ import annotations

from orchestrator.assembly.abandoned_runs import LOCK_FILE
from orchestrator.assembly.wiring import EVENTS_FILE
from orchestrator.checkpoint.file import CHECKPOINT_FILE
from orchestrator.checkpoint.seed_file import SEED_FILE
from orchestrator.configuration.request import CampaignRequest
from orchestrator.report.saved import REPORT_FILE
from simulator.corpus.store import FOUNDRY_FOLDER, Folder
from simulator.policy import Request
from tools.command_file import COMMANDS_FILE

WRITTEN = frozenset(
    (
        *(LOCK_FILE, EVENTS_FILE, CHECKPOINT_FILE, SEED_FILE, REPORT_FILE, COMMANDS_FILE, FOUNDRY_FOLDER, "covered"),
        *(folder.value for folder in Folder),
    )
)
"""What a campaign writes at the top of these folders, without what may follow behind a dot."""


def check_output_folders(request: CampaignRequest) -> None:
    """Raise `PolicyRefused` for a folder that must not be written."""
    folders = {"corpusDir": request.corpus_directory, "coverageDir": request.coverage_directory}
    for key, folder in folders.items():
        if folder is not None:
            request.policy.output_folder(Request(key), folder, WRITTEN)
