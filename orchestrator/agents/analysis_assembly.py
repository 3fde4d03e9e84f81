"""Assembly of what the family `analysis` works on: this server's processes, compilers and campaign."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import trio

from actors.processes.runner import ProcessRunner
from orchestrator.agents.server_settings import ServerSettings
from simulator.compile.diagnostics import Diagnostic
from simulator.compile.options import CompileOptions
from simulator.compile.parsing import check_source
from tools.analysis.programs import ProgramRuns
from tools.analysis.table import AnalysisContext
from tools.campaign.access import CampaignAccess
from tools.campaign.extensions.findings import FindingTools
from tools.javascript_sandbox.process import JavaScriptSandbox

COMPILER_SECONDS = 4.5


def analysis_context(settings: ServerSettings, runner: ProcessRunner, access: CampaignAccess) -> AnalysisContext:
    """The server's own folder is the project that `filesystem` reads."""
    findings = FindingTools(access)

    async def foundry_test_of(finding: str) -> str | None:
        return (await findings.reproducer(finding)).foundry_test

    return AnalysisContext(
        root=settings.roots.base,
        run=ProgramRuns(runner),
        sandbox=JavaScriptSandbox(),
        compile_source=_compile,
        foundry_test_of=foundry_test_of,
        network=settings.package_lookups,
    )


async def _compile(source: str) -> Sequence[Diagnostic]:
    """A caller that goes away leaves the compiler to its own time limit."""
    check = partial(check_source, source, CompileOptions(timeout=COMPILER_SECONDS))
    return await trio.to_thread.run_sync(check, abandon_on_cancel=True)
