"""Expected failures of the codebase memory. Codes are stable; messages are for the caller."""

from __future__ import annotations


class CodebaseError(Exception):
    """Base of the failures below."""

    code = "E_CODEBASE"


class UnknownCodebase(CodebaseError):  # noqa: N818  # the names say what happened
    """No codebase of this name is indexed."""

    code = "E_CODEBASE_UNKNOWN"

    def __init__(self, name: str) -> None:
        super().__init__(f"Codebase '{name[:200]}' not found")


class NameTaken(CodebaseError):  # noqa: N818
    """The name stands for another folder, or for another codebase."""

    code = "E_CODEBASE_NAME"


class CodebaseFolderRefused(CodebaseError):  # noqa: N818
    """The path is no folder that can be read, or it holds more files than are indexed."""

    code = "E_CODEBASE_FOLDER"


class IngestionStopped(CodebaseError):  # noqa: N818
    """An ingestion was asked to stop; the index is as it was before."""

    code = "E_CODEBASE_STOPPED"


class MemoryBusy(CodebaseError):  # noqa: N818
    """Another ingestion is writing; nothing was changed."""

    code = "E_CODEBASE_BUSY"


class MemoryUnusable(CodebaseError):  # noqa: N818
    """The database cannot be opened, is damaged, or belongs to another user."""

    code = "E_CODEBASE_MEMORY"
