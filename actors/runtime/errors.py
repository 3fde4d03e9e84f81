"""Errors of the actors. `ActorFailure` and its subclasses are expected: a supervisor restarts what raised them."""

# ruff: noqa: N818  # the names say what happened, as those of trio do
from __future__ import annotations


class ActorError(Exception):
    """Base. Each has a stable `code` and a message for users."""

    code = "E_ACTOR"


class ActorFailure(ActorError):
    """An actor cannot continue, for an external reason. Its supervisor restarts it within the restart intensity."""

    code = "E_ACTOR_FAILURE"


class WorkerLost(ActorFailure):
    """A worker process ended, or reported a fatal error. The message holds the exit status and the end of stderr."""

    code = "E_WORKER_LOST"


class WorkerStuck(ActorFailure):
    """A worker process sent nothing for longer than it may. It is killed."""

    code = "E_WORKER_STUCK"


class WorkerRefused(ActorError):
    """A worker read the target and refused it with a typed error, as every restart would: the campaign ends.

    `target_code` is the code of the simulator's error, such as `E_TARGET`."""

    code = "E_WORKER_REFUSED"

    def __init__(self, target_code: str, message: str) -> None:
        super().__init__(message)
        self.target_code = target_code


class RestartsExceeded(ActorError):
    """Raised by a supervisor whose actor failed more often than its restart intensity allows."""

    code = "E_RESTARTS_EXCEEDED"


class MailboxClosed(ActorError):
    """The actor behind a mailbox has ended; the message was not delivered."""

    code = "E_MAILBOX_CLOSED"


class AskTimeout(ActorError):
    """No reply came before the deadline. The actor may still act on the message."""

    code = "E_ASK_TIMEOUT"


class CommandRejected(ActorError):
    """A steering command cannot be carried out as it stands; nothing of it was. The message names the place and the
    allowed form."""

    code = "E_COMMAND"


class NoLiveWorkers(ActorError):
    """A steering command needs a worker, and none is running at this moment."""

    code = "E_NO_WORKERS"


class CampaignEnding(ActorError):
    """The campaign is ending, or has ended: it no longer takes steering commands."""

    code = "E_CAMPAIGN_ENDING"


class ExecutionLost(ActorError):
    """The worker that was to execute a sequence has ended before it answered."""

    code = "E_EXECUTION_LOST"


class StorageFailed(ActorError):
    """The corpus folder or the event file cannot be written; the message names the path."""

    code = "E_STORAGE"


class ProcessLimitExceeded(ActorError):
    """A command ran longer, or wrote more, than its limits allow, and was killed."""

    code = "E_PROCESS_LIMIT"


class ProcessNotStarted(ActorError):
    """The operating system refused to start a command; the message names it and says why. `refused` says that a
    permission was missing."""

    code = "E_PROCESS_START"

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


class ExecutableMissing(ActorError):
    """No program of that name is in the places where programs are looked for."""

    code = "E_EXECUTABLE_MISSING"


class ExecutableForbidden(ActorError):
    """There is a program of that name, and this user may not execute it."""

    code = "E_EXECUTABLE_FORBIDDEN"


class FolderRefused(ActorError):
    """A working folder does not exist or lies outside what the configuration allows."""

    code = "E_FOLDER_REFUSED"


class RunNotFound(ActorError):
    """No run has that id: it never existed, was removed when its days were over, or the id is malformed."""

    code = "E_RUN_NOT_FOUND"


class RunnerBusy(ActorError):
    """As many commands wait for their turn as the process runner lets wait."""

    code = "E_RUNNER_BUSY"
