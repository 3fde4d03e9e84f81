"""From configuration keys to how a server for agents is set up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from actors.processes.run_store import RunStore
from actors.processes.runner import CommandLimits
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.model import Configuration
from simulator.files.user_folders import user_state_folder
from simulator.policy import resolved_path
from tools.codebase.ingesting import Ingest, ProcessIngest
from tools.codebase.memory import CodebaseMemory, default_memory_file, embedder_of, open_memory
from tools.deadlines import Deadlines
from tools.roots import AllowedRoots
from tools.serving.access import TokenFile, tokens_in
from tools.serving.facade import NameStyle
from tools.serving.http import HttpSettings
from tools.tool import Family

DAY_SECONDS = 86_400.0
DASHBOARD_PORT = 8010
TOKEN_FILE = "mcp-tokens.json"  # noqa: S105  # a file name


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    groups: frozenset[Family]
    name_style: NameStyle
    profile: str
    deadlines: Deadlines
    roots: AllowedRoots
    package_lookups: bool = True
    command_limits: CommandLimits
    runs: RunStore
    compact_diagnostics: bool
    memory: CodebaseMemory
    manager: Callable[[], HttpSettings]
    index_target: bool
    ingest: Ingest


def server_settings(configuration: Configuration, here: Path | None = None) -> ServerSettings:
    """`here` is the folder of the server, by default this process's. It is allowed unless `mcpRoots` names others;
    the folder of the corpus always is. Some clients start their servers in `/`, which no user intends to allow, nor to
    begin paths from: the first of `mcpRoots` stands for it. Raises `ConfigurationError` for a root that is no
    folder."""
    base = here or Path.cwd()
    named = [_root(base, root) for root in configuration.mcp_roots]
    if base != Path(base.anchor):
        named = named or [base]
    elif named:
        base = named[0]
    if configuration.corpus_directory:
        named.append(Path(base, configuration.corpus_directory))
    memory = _memory_file(configuration, base)
    return ServerSettings(
        groups=frozenset(map(Family, configuration.enabled_tool_groups)),
        name_style=configuration.tool_name_style,
        profile=configuration.mcp_tools,
        deadlines=Deadlines(
            campaign=configuration.campaign_deadline,
            analysis=configuration.analysis_deadline,
            search=configuration.search_deadline,
        ),
        roots=AllowedRoots(named, base),
        package_lookups=configuration.package_lookups,
        command_limits=_command_limits(configuration),
        runs=_run_store(configuration, base),
        compact_diagnostics=configuration.compact_diagnostics,
        memory=open_memory(memory, embedder_of(configuration.codebase_embedder)),
        ingest=ProcessIngest(memory, configuration.codebase_embedder),
        index_target=configuration.index_target,
        manager=partial(_manager_settings, configuration),
    )


def _root(base: Path, text: str) -> Path:
    root = resolved_path(Path(base, Path(text).expanduser()))
    if root is None or not root.is_dir():
        raise ConfigurationError(f"mcpRoots: {text}: there is no such folder")
    return root


def http_settings(configuration: Configuration, port: int) -> tuple[HttpSettings, TokenFile | None]:
    """Settings for HTTP, with the token file if tokens are required. Blocks on the disk. Raises `TokenFileError`."""
    if configuration.mcp_auth == "none":
        return HttpSettings(host=configuration.mcp_host, port=port, tokens=None), None
    given = configuration.mcp_token_file
    file = tokens_in(Path(given).expanduser() if given else _default_token_file())
    return HttpSettings(host=configuration.mcp_host, port=port, tokens=file.tokens), file


def page_port(configuration: Configuration) -> int:
    """Port of the dashboard."""
    return DASHBOARD_PORT if configuration.dashboard_port is None else configuration.dashboard_port


def _command_limits(configuration: Configuration) -> CommandLimits:
    return CommandLimits(
        seconds=configuration.build_time_limit,
        output=configuration.build_output_limit << 20,
        at_once=configuration.builds_at_once,
        queue=configuration.build_queue,
        memory=configuration.build_memory_limit << 20 or None,
    )


def _run_store(configuration: Configuration, base: Path) -> RunStore:
    given = configuration.build_runs
    folder = Path(base, Path(given).expanduser()) if given else None
    return RunStore(folder, configuration.build_retention * DAY_SECONDS)


def _memory_file(configuration: Configuration, base: Path) -> Path:
    given = configuration.codebase_memory
    return Path(base, Path(given).expanduser()) if given else default_memory_file()


def _manager_settings(configuration: Configuration) -> HttpSettings:
    """The page of codebases: where MCP over HTTP would listen, at a port of its own, for the same tokens."""
    settings, _ = http_settings(configuration, configuration.codebase_manager_port)
    return settings


def _default_token_file() -> Path:
    return user_state_folder() / TOKEN_FILE
