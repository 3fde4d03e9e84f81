"""`npm install`."""

from __future__ import annotations

from tools.builds.diagnostics import Parsed, collected
from tools.builds.plugin import Output, Plugin, before
from tools.builds.plugins.npm_messages import messages
from tools.builds.plugins.package_installs import ENVIRONMENT, OUTSIDE

NAME = "npm.install"


def parse(output: Output) -> Parsed:
    return collected(messages(NAME, output.lines()))


PLUGIN = Plugin(
    name=NAME,
    title="npm install",
    description="Run `npm install` and return its errors and warnings. Changes node_modules: needs confirmed: true.",
    program="npm",
    argv=before("install"),
    parse=parse,
    environment=ENVIRONMENT,
    refused=(OUTSIDE,),
    mutates=True,
    network=True,
)
