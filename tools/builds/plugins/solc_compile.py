"""`solc`, or where none is on PATH the compiler that a campaign would use."""

from __future__ import annotations

from simulator.own_process import module_command
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
    stand_in=tuple(module_command("simulator.compile")),
)
