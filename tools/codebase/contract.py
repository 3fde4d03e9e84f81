"""The published schemas of the `codebase` family, word for word as in its contract: draft-07 constants.

Beyond the contract, `language` also takes the languages of smart contracts.
"""

from __future__ import annotations

from typing import Final

from tools.codebase.chunking.chunk import ChunkType
from tools.codebase.chunking.languages import Language
from tools.schemas import DRAFT_07, object_schema
from tools.tool import JsonObject

LANGUAGES: Final = [str(each) for each in Language]
CHUNK_TYPES: Final = [str(each) for each in ChunkType]
DEFAULT_RESULTS: Final = 50
MAX_RESULTS: Final = 200


def _text(description: str, **rules: object) -> JsonObject:
    return {"type": "string", **rules, "description": description}


def _integer(description: str, least: int, **rules: object) -> JsonObject:
    return {"type": "integer", "minimum": least, **rules, "description": description}


def _part(**properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(description: str, items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items, "description": description}


_NO_INPUT: Final[JsonObject] = {"$schema": DRAFT_07, "type": "object", "properties": {}, "additionalProperties": False}
_INGESTED: Final = _text("When it was last indexed, ISO 8601", format="date-time")
_CHUNKS: Final = _integer("Number of indexed chunks", 0)
_FILES: Final = _integer("Number of indexed files", 0)
_LANGUAGE: Final[JsonObject] = {"type": "string", "enum": LANGUAGES}
_CHUNK_TYPE: Final[JsonObject] = {"type": "string", "enum": CHUNK_TYPES}

LIST_CODEBASES_SCHEMA: Final[JsonObject] = {
    "name": "list_codebases",
    "description": "List all indexed codebases with their metadata: name, folder, size, languages, last ingestion.",
    "inputSchema": _NO_INPUT,
    "outputSchema": object_schema(
        codebases=_array(
            "The indexed codebases, by name",
            _part(
                name=_text("Name of the codebase"),
                path=_text("Folder that was indexed"),
                chunkCount=_CHUNKS,
                fileCount=_FILES,
                lastIngestion=_INGESTED,
                languages=_array("Languages of the files", _LANGUAGE),
            ),
        )
    ),
}

SEARCH_CODEBASES_SCHEMA: Final[JsonObject] = {
    "name": "search_codebases",
    "description": (
        "Search indexed code by meaning and by name: functions, classes, methods, interfaces, properties and fields,"
        " best match first, each with its file and lines. Ask in words, or with identifiers."
    ),
    "inputSchema": {
        "$schema": DRAFT_07,
        "type": "object",
        "properties": {
            "query": _text("What to look for", minLength=1),
            "codebaseName": _text("Only in this codebase"),
            "language": {"type": "string", "enum": LANGUAGES, "description": "Only in this language"},
            "maxResults": _integer("Most results to return", 1, maximum=MAX_RESULTS, default=DEFAULT_RESULTS),
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    "outputSchema": object_schema(
        results=_array(
            "The best matches, best first",
            _part(
                filePath=_text("Path relative to the codebase's folder"),
                startLine=_integer("First line, counted from 1", 1),
                endLine=_integer("Last line, counted from 1", 1),
                language={**_LANGUAGE, "description": "Language of the file"},
                chunkType={**_CHUNK_TYPE, "description": "Kind of the chunk"},
                content=_text("The lines of the chunk"),
                similarityScore={
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "0 to 1, the greater the nearer",
                },
                codebaseName=_text("Codebase of the file"),
            ),
        ),
        totalResults=_integer("All matches; may be greater than the number of results returned", 0),
        queryTime={"type": "number", "minimum": 0, "description": "Milliseconds that this call took"},
    ),
}

GET_CODEBASE_STATS_SCHEMA: Final[JsonObject] = {
    "name": "get_codebase_stats",
    "description": "Detailed statistics of one codebase: chunks and files by language, chunks by kind, size.",
    "inputSchema": {
        "$schema": DRAFT_07,
        "type": "object",
        "properties": {"name": _text("Name of the codebase", minLength=1)},
        "required": ["name"],
        "additionalProperties": False,
    },
    "outputSchema": object_schema(
        name=_text("Name of the codebase"),
        path=_text("Folder that was indexed"),
        chunkCount=_CHUNKS,
        fileCount=_FILES,
        lastIngestion=_INGESTED,
        languages=_array(
            "Files and chunks by language", _part(language=_LANGUAGE, fileCount=_FILES, chunkCount=_CHUNKS)
        ),
        chunkTypes=_array("Chunks by kind", _part(type=_CHUNK_TYPE, count=_integer("Number of chunks", 0))),
        sizeBytes=_integer("Size of the indexed files", 0),
    ),
}

OPEN_CODEBASE_MANAGER_SCHEMA: Final[JsonObject] = {
    "name": "open_codebase_manager",
    "description": (
        "Start the web page that manages codebases (list, search, statistics, re-index, rename, delete) and open it in"
        " the default browser where there is a display. Returns its URL."
    ),
    "inputSchema": _NO_INPUT,
    "outputSchema": object_schema(
        url=_text("Where the page is", format="uri"),
        message=_text("Whether a browser was opened"),
    ),
}
