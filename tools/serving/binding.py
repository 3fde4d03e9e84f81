"""The SDK's low-level server over a facade. Both protocol eras are served, 2026-07-28 and the handshake revisions.

The SDK validates nothing on this level and passes schemas on verbatim, which is what the contracts need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from simulator.printable import printable
from tools.caller import EVERY_SCOPE, LOCAL, Caller, calling_as
from tools.errors import ToolError
from tools.profiles import BRIEF_ARGUMENTS, LEAN, is_brief, listed
from tools.progress import reporting_to
from tools.prompt import Prompt
from tools.registry import CAMPAIGN_ID
from tools.rendering import Rendered
from tools.schema_resources import PREFIX as SCHEMA_PREFIX
from tools.schemas import brief_schema
from tools.serving.facade import Facade, NameStyle
from tools.serving.subscriptions import Subscriptions
from tools.tool import Annotations, Scope, Tool

Context = ServerRequestContext[Any, Any]
MAX_PROMPT_ARGUMENT_LENGTH = 2_000
MAX_LISTENING = 24
MAX_COMPLETIONS = 100
RESOURCE_NOT_FOUND = -32002
WARNING = "monotreme/warning"
"""The key of a warning in `_meta` of a result."""


def build_server(facade: Facade, subscriptions: Subscriptions, caller_of: Callable[[Context], Caller]) -> Server[Any]:
    """A server for any number of connections. `caller_of` identifies the caller of a request."""
    handlers = _Handlers(facade, caller_of)
    listening = _Listening(subscriptions, caller_of)
    server: Server[Any] = Server(
        facade.name,
        version=facade.version,
        title="Monotreme",
        instructions=facade.instructions or None,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_subscribe_resource=subscriptions.subscribe,
        on_unsubscribe_resource=subscriptions.unsubscribe,
        on_subscriptions_listen=listening.listen,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )
    subscriptions.log_messages.serve(server)
    return server


class _Listening:
    """Streams of updates, of which callers of the same scopes have so many."""

    def __init__(self, subscriptions: Subscriptions, caller_of: Callable[[Context], Caller]) -> None:
        self._subscriptions = subscriptions
        self._caller_of = caller_of
        self._streams: Counter[frozenset[Scope]] = Counter()

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        scopes = self._caller_of(context).scopes
        if self._streams[scopes] >= MAX_LISTENING:
            raise MCPError(types.INTERNAL_ERROR, f"{MAX_LISTENING} streams of updates are open, which is the most")
        self._streams[scopes] += 1
        try:
            return await self._subscriptions.listen(context, params)
        finally:
            self._streams[scopes] -= 1


def local_caller(context: Context) -> Caller:
    """The caller on stdio or in memory: the user who launched this process."""
    session = context.session
    client = session.client_params
    return Caller(f"local {client.client_info.name}", EVERY_SCOPE) if client is not None else LOCAL


class _Handlers:
    def __init__(self, facade: Facade, caller_of: Callable[[Context], Caller]) -> None:
        self._facade = facade
        self._caller_of = caller_of
        self._listings: dict[bool, list[types.Tool]] = {}
        self._listing()
        self._prompts = {prompt.name: prompt for prompt in facade.prompts}

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._listing())

    def _listing(self) -> list[types.Tool]:
        """The tools to list, which say how a campaign is named where several run."""
        registry = self._facade.dispatcher.registry
        is_naming = registry.is_naming_campaigns
        if is_naming not in self._listings:
            tools = listed(registry.get_all_tools(), self._facade.profile)
            self._listings[is_naming] = [_listed_tool(tool, self._facade) for tool in tools]
        return self._listings[is_naming]

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        async def report(seconds: float, text: str) -> None:
            await context.session.report_progress(seconds, None, text)

        with reporting_to(report):
            rendered = await self._facade.dispatcher.call(params.name, params.arguments, self._caller_of(context))
        return call_result(rendered)

    async def list_resources(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        listed = [
            types.Resource(
                uri=resource.uri,
                name=resource.name,
                description=resource.description,
                mime_type=resource.mime_type,
            )
            for source in self._facade.sources
            for resource in source.resources()
        ]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        listed = [
            types.ResourceTemplate(
                uri_template=template.uri_template,
                name=template.name,
                description=template.description,
                mime_type=template.mime_type,
            )
            for source in self._facade.sources
            for template in source.templates()
        ]
        return types.ListResourceTemplatesResult(resource_templates=listed)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            with calling_as(self._caller_of(context)):
                found = await self._facade.read(params.uri)
        except ToolError as error:
            raise MCPError(RESOURCE_NOT_FOUND, error.message, {"uri": params.uri[:200]}) from error
        content = types.TextResourceContents(uri=params.uri, mime_type=found.mime_type, text=found.text)
        return types.ReadResourceResult(contents=[content])

    async def complete(self, _: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Arguments of prompts and of resource templates; names of tools for their schemas."""
        argument, typed = params.argument.name, params.argument.value[:MAX_PROMPT_ARGUMENT_LENGTH]
        uri = params.ref.uri if isinstance(params.ref, types.ResourceTemplateReference) else ""
        if uri.startswith(SCHEMA_PREFIX):
            tools = self._facade.dispatcher.registry.get_all_tools()
            known = ("input", "output") if argument == "side" else tuple(tool.name for tool in tools)
            return _completion([name for name in known if name.startswith(typed)])
        campaign = (params.context.arguments or {}).get(CAMPAIGN_ID) if params.context is not None else None
        return _completion(self._facade.complete(argument, typed, campaign))

    async def list_prompts(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_published_prompt(prompt) for prompt in self._prompts.values()])

    async def get_prompt(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name[:64]!r}")
        text = prompt.render(_prompt_arguments(prompt, params.arguments or {}))
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])


def _completion(values: Sequence[str]) -> types.CompleteResult:
    shown = [printable(value) for value in values[:MAX_COMPLETIONS]]
    completion = types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
    return types.CompleteResult(completion=completion)


def _listed_tool(tool: Tool[Any], facade: Facade) -> types.Tool:
    shown = published(tool, facade)
    if facade.profile == LEAN:
        shown.annotations = _brief_hints(tool.annotations)
        shown.title = None
    return shown


def published(tool: Tool[Any], facade: Facade) -> types.Tool:
    """A tool as `tools/list` shows it; a brief one with what a model needs to call it."""
    registry, name = facade.dispatcher.registry, published_name(tool, facade.name_style)
    if is_brief(tool, facade.profile):
        schema = registry.input_schema(tool, brief=True)
        arguments = BRIEF_ARGUMENTS.get(tool.name)
        if arguments is not None and CAMPAIGN_ID in schema["properties"]:
            arguments = (*arguments, CAMPAIGN_ID)
        return types.Tool(
            name=name,
            description=tool.description,
            input_schema=brief_schema(schema, arguments),
            annotations=_brief_hints(tool.annotations),
        )
    return types.Tool(
        name=name,
        title=tool.annotations.title,
        description=tool.description,
        input_schema=registry.input_schema(tool),
        output_schema=dict(tool.output_schema) if tool.output_schema is not None else None,
        annotations=_hints(tool.annotations),
    )


def published_name(tool: Tool[Any], style: NameStyle) -> str:
    """The name to list: the dotted alias where that style is wanted and there is one."""
    dotted = next((alias for alias in tool.aliases if "." in alias), tool.name)
    return dotted if style == "dotted" else tool.name


def call_result(rendered: Rendered) -> types.CallToolResult:
    """A rendered result as the protocol carries it."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=rendered.text)],
        structured_content=rendered.structured,
        is_error=rendered.is_error,
        _meta={WARNING: rendered.warning} if rendered.warning else None,
    )


def _hints(annotations: Annotations) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        title=annotations.title,
        read_only_hint=annotations.read_only,
        destructive_hint=annotations.destructive,
        idempotent_hint=annotations.idempotent,
        open_world_hint=annotations.open_world,
    )


def _brief_hints(annotations: Annotations) -> types.ToolAnnotations:
    """Return the hints that mean something: a tool that changes nothing cannot destroy."""
    is_quiet = annotations.read_only
    return types.ToolAnnotations(
        read_only_hint=is_quiet or None,
        destructive_hint=None if is_quiet else annotations.destructive,
        open_world_hint=annotations.open_world,
    )


def _published_prompt(prompt: Prompt) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(name=each.name, description=each.description, required=each.required)
            for each in prompt.arguments
        ],
    )


def _prompt_arguments(prompt: Prompt, given: dict[str, str]) -> dict[str, str]:
    known = {argument.name for argument in prompt.arguments}
    missing = [each.name for each in prompt.arguments if each.required and not given.get(each.name)]
    unknown = [name[:64] for name in given if name not in known]
    too_long = [name for name, value in given.items() if len(value) > MAX_PROMPT_ARGUMENT_LENGTH]
    problems = [f"{name} is required" for name in missing] + [f"{name} is not known" for name in unknown]
    problems += [f"{name} has more than {MAX_PROMPT_ARGUMENT_LENGTH} characters" for name in too_long]
    if problems:
        raise MCPError(types.INVALID_PARAMS, "; ".join(problems[:10]), {"prompt": prompt.name})
    return given
