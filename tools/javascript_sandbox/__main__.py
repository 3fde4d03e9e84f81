"""`python -m tools.javascript_sandbox`: which protections hold on this machine. Ends with 3 when the engine fails."""

from __future__ import annotations

import sys

import click
import trio

from simulator.printable import printable
from tools.javascript_sandbox.confinement import Protection
from tools.javascript_sandbox.messages import SandboxJob
from tools.javascript_sandbox.process import Answers, EngineFailed, JavaScriptSandbox

_SECONDS = 30.0
_NOTHING = SandboxJob("() => ({})", 0, (), 1_000, {}, (), ())


@click.command()
def main() -> None:
    """Print which protections of the JavaScript sandbox hold on this machine."""
    try:
        answers = trio.run(_answers)
    except EngineFailed as error:
        click.echo(printable(f"the JavaScript engine does not work: {error}"), err=True)
        sys.exit(3)
    click.echo(
        printable(f"V8 {answers.ready.engine}, without machine code of its own, WebAssembly, and code from texts")
    )
    for protection in Protection:
        click.echo(f"{'yes' if protection in answers.ready.protections else 'NO '} {protection}")


async def _answers() -> Answers:
    return await JavaScriptSandbox().run(_NOTHING, zone="UTC", seconds=_SECONDS)


if __name__ == "__main__":
    main()
