"""`dotnet build`."""

from __future__ import annotations

from tools.builds.diagnostics import Parsed, collected
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.msbuild import ENVIRONMENT, messages

NAME = "dotnet.build"


def parse(output: Output) -> Parsed:
    return collected(messages(NAME, output.lines()))


PLUGIN = Plugin(
    name=NAME,
    title="dotnet build",
    description="Run `dotnet build` and return its errors and warnings with file, line and column.",
    program="dotnet",
    # The terminal logger rewrites lines and leaves out messages; the plain one is made for programs.
    argv=before("build", "-nologo", "--tl:off"),
    parse=parse,
    environment=ENVIRONMENT,
    slash_options=True,
)
