"""`solc`, or where none is on PATH the compiler that a campaign would use."""

from __future__ import annotations

import sys

from tools.builds.diagnostics import Parsed, collected
from tools.builds.plugin import Output, Plugin, Refusal, before
from tools.builds.plugins.solidity_messages import messages

NAME = "solc.compile"


def parse(output: Output) -> Parsed:
    return collected(messages(NAME, output.lines()))


PLUGIN = Plugin(
    name=NAME,
    title="solc",
    description="Run `solc` with files and options as args and return its errors and warnings with file, line, column.",
    program="solc",
    argv=before(),
    parse=parse,
    refused=(Refusal(("--standard-json", "--lsp", "--link"), "it reads its standard input, which is empty"),),
    # Without the working folder on its path: a project may have a folder `simulator`.
    stand_in=(sys.executable, "-P", "-m", "simulator.compile"),
)
