"""Campaigns as resources: `campaign://status`, `events`, `coverage/{file}`, `findings/{id}` of the only one, and
`campaigns://{campaignId}/status` and so on of each of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qs, quote, unquote

from actors.events.types import LoggedEvent
from simulator.known_names import known_names
from simulator.printable import printable
from tools.campaign.access import CampaignAccess
from tools.campaign.coverage_tools import current_report
from tools.campaign.extensions.campaigns import campaign_rows
from tools.campaign.extensions.findings import FindingTools
from tools.campaign.extensions.status import StatusTools
from tools.campaign.extensions.waiting import events_result
from tools.campaign.naming import finding_id
from tools.campaign.results import ToolResult, plain
from tools.campaign.several import ServedCampaigns
from tools.errors import ErrorCode, ToolError
from tools.rendering import compact_json
from tools.resource import Resource, ResourceTemplate, ResourceText

PREFIX = "campaign://"
OF_ONE = "campaigns://"
ALL = f"{OF_ONE}list"
STATUS, EVENTS, COVERAGE, FINDINGS = (f"{PREFIX}{name}" for name in ("status", "events", "coverage/", "findings/"))
MAX_EVENTS = 500
_QUERY_KEYS = {"since"}


class CampaignResources:
    """`campaigns` are those of the server; None for one that serves one campaign only."""

    def __init__(self, access: CampaignAccess, campaigns: ServedCampaigns | None = None) -> None:
        self._access = access
        self._campaigns = campaigns
        self._status = StatusTools(access)
        self._findings = FindingTools(access)

    def resources(self) -> Sequence[Resource]:
        """Status and events always; files and findings as far as there are any."""
        if self._campaigns is None or not self._campaigns.are_several:
            return self._of_one(lambda uri: uri)
        listed = [Resource(ALL, "campaigns", "Campaigns of this server.")]
        for place in self._campaigns.open:
            with self._campaigns.choosing(place.id):
                listed += self._of_one(partial(uri_of_one, place.id))
        return listed

    def _of_one(self, uri_of: Callable[[str], str]) -> list[Resource]:
        return [replace(each, uri=uri_of(each.uri)) for each in self._resources()]

    def _resources(self) -> list[Resource]:
        listed = [
            Resource(STATUS, "status", "Where the campaign stands."),
            Resource(EVENTS, "events", "The newest events; ?since=cursor for those after one."),
        ]
        parts = self._access.parts
        if parts is not None:
            listed += [
                Resource(
                    f"{COVERAGE}{quote(file.path)}", file.path, "Source with coverage beside each line.", "text/plain"
                )
                for file in parts.coverage.latest.files
            ]
            listed += [
                Resource(finding_uri(finding_id(record)), finding_id(record), "A failing test and how to break it.")
                for record in parts.campaign.status().tests
                if record.found
            ]
        return listed

    def templates(self) -> Sequence[ResourceTemplate]:
        templates = self._templates()
        if self._campaigns is None:
            return templates
        several = (ResourceTemplate(f"{PREFIX}status", "status", "Where the campaign stands."), *templates)
        return (
            *templates,
            *(
                replace(each, uri_template=uri_of_one("{campaignId}", each.uri_template), name=f"{each.name}-of-one")
                for each in several
            ),
        )

    def _templates(self) -> tuple[ResourceTemplate, ...]:
        return (
            ResourceTemplate(f"{EVENTS}{{?since}}", "events-since", "Events after a cursor, oldest first."),
            ResourceTemplate(
                f"{COVERAGE}{{+file}}", "coverage", "A source file with coverage beside each line.", "text/plain"
            ),
            ResourceTemplate(f"{FINDINGS}{{id}}", "finding", "A finding by its id, with its reproducer."),
        )

    async def read(self, uri: str) -> ResourceText | None:
        if self._campaigns is None:
            return await self._read(uri)
        if uri == ALL:
            rows = {"campaigns": [plain(row) for row in campaign_rows(self._campaigns)]}
            return ResourceText(compact_json(rows))
        name: str | None = None
        if uri.startswith(OF_ONE):
            name, _, path = uri.removeprefix(OF_ONE).partition("/")
            uri = f"{PREFIX}{path}"
        if not uri.startswith(PREFIX):
            return None
        with self._campaigns.choosing(name):
            return await self._read(uri)

    async def _read(self, uri: str) -> ResourceText | None:
        if not uri.startswith(PREFIX):
            return None
        if uri == STATUS:
            return _json(self._status.figures(remember=False))
        if uri.partition("?")[0] == EVENTS:
            return self._events(uri.partition("?")[2])
        if uri.startswith(COVERAGE):
            return await self._coverage(unquote(uri.removeprefix(COVERAGE)))
        if uri.startswith(FINDINGS):
            return _json(await self._findings.reproducer(unquote(uri.removeprefix(FINDINGS))))
        return None

    def _events(self, query: str) -> ResourceText:
        parts = self._access.current
        given = parse_qs(query, keep_blank_values=True)
        since = given.get("since", ["-1"])[-1]
        if not given.keys() <= _QUERY_KEYS or not ((since.isascii() and since.isdigit()) or since == "-1"):
            raise ToolError(ErrorCode.INVALID_INPUT, f"expected {EVENTS}?since=CURSOR with a whole number")
        if since == "-1":
            newest: tuple[LoggedEvent, ...] = parts.log.newest(MAX_EVENTS)
            return _json(events_result(parts, newest[::-1], parts.log.statistics().cursor, 0))
        batch = parts.log.read(int(since[:20]), MAX_EVENTS)
        return _json(events_result(parts, batch.events, batch.cursor, batch.missed))

    async def _coverage(self, path: str) -> ResourceText:
        """One line of source a line, after its number, how often it ran, marks and what was never seen."""
        coverage = self._access.current.coverage
        report = await current_report(self._access.current)
        file = await coverage.annotated(report, path)
        if file is None:
            known = known_names(path, (each.path for each in report.files))
            raise ToolError(ErrorCode.INVALID_INPUT, f"there is no one source file {path[:200]!r}; known are: {known}")
        width = len(str(len(file.lines)))
        lines = [
            f"{line.line:>{width}} | {'' if line.count is None else line.count:>9} | {line.marks:<3} | {line.text}"
            + (f"  // {', '.join(line.missing)}" if line.missing else "")
            for line in file.lines
        ]
        lines_hit = f"{file.lines_hit}/{file.lines_found} lines"
        head = f"{file.path}: {lines_hit}, {file.branches_hit}/{file.branches_found} branch sides"
        return ResourceText(printable("\n".join([head, *lines]) + "\n"), "text/plain")


def uri_of_one(campaign: str, uri: str) -> str:
    """The URI of a resource of the campaign with this id."""
    return f"{OF_ONE}{campaign}/{uri.removeprefix(PREFIX)}"


def finding_uri(name: str) -> str:
    return f"{FINDINGS}{quote(name, safe='()')}"


def _json(result: ToolResult) -> ResourceText:
    return ResourceText(compact_json(plain(result)))
