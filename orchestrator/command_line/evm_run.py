"""`monotreme evm run`: one program, what it returns, and how it got there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.command_line.help_format import PLAIN_EXIT_CODES, GroupedCommand, GroupedOption
from orchestrator.failures import ExitCode
from orchestrator.interrupts import conclude, run_native
from orchestrator.streams import write_json_line, write_result, write_stderr

if TYPE_CHECKING:
    from simulator.evm.machine import Machine
    from simulator.evm.results import EmittedLog, Result
    from simulator.forks import Fork

EXAMPLES = """\
Examples:
  monotreme evm run --code 0x600160020160005260206000f3
  monotreme evm run --code Token.bin --input 0x18160ddd --json
  monotreme evm run --code 600160005500 --trace > trace.jsonl"""

CONTRACT = 0xC0DE
MAX_CODE_BYTES = 1 << 20
MAX_INPUT_BYTES = 1 << 24
DEFAULT_GAS = 30_000_000
DEFAULT_SENDER = "0x10000"
_HEX = re.compile(r"(0x)?([0-9a-fA-F]{2})*")
_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,64}|[0-9]{1,78}")


class HexBytes(click.ParamType[bytes]):
    """Bytes in hex, with or without 0x; with `files`, also the path of a file that holds such hex."""

    name = "hex"

    def __init__(self, limit: int, *, files: bool = False) -> None:
        self._limit = limit
        self._files = files

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Raises `click.BadParameter` with the allowed form."""
        text = str(value)
        if self._files and not _HEX.fullmatch(text):
            text = self._read(Path(text), param, ctx)
        text = "".join(text.split())
        if not _HEX.fullmatch(text):
            place = f"the file {value} does not hold" if self._files and Path(str(value)).exists() else "this is not"
            self.fail(f"{place} hex: give an even number of hex digits, with or without 0x", param, ctx)
        data = bytes.fromhex(text.removeprefix("0x"))
        if len(data) > self._limit:
            self.fail(f"{len(data)} bytes, the limit is {self._limit}", param, ctx)
        return data

    def _read(self, path: Path, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            with path.open("rb") as file:
                data = file.read(4 * self._limit + 1)
        except (OSError, ValueError):
            self.fail(f"{str(path)[:80]!r} is neither hex nor a file that can be read", param, ctx)
        return data.decode("ascii", errors="replace")


class NumberOption(click.ParamType[int]):
    """A number in decimal or 0x-hex, up to a limit."""

    name = "number"

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Raises `click.BadParameter` with the allowed form."""
        text = str(value)
        if not _NUMBER.fullmatch(text):
            self.fail(f"{text[:80]!r} is not a number: give decimal digits, or hex digits behind 0x", param, ctx)
        number = int(text, 16) if text.startswith("0x") else int(text)
        if number >> self._bits:
            self.fail(f"{text} does not fit {self._bits} bits", param, ctx)
        return number


def _run(code: bytes, data: bytes, gas: int, value: int, sender: int, fork: str, trace: bool, as_json: bool) -> int:
    from simulator.forks import fork_named

    chosen = fork_named(fork)
    machine = _machine(chosen, trace)
    machine.set_account(CONTRACT, code=code)
    transact = partial(machine.transact, sender=sender, to=CONTRACT, data=data, value=value, gas=gas)
    result = transact() if trace else run_native(transact)
    conclude(ExitCode.NOTHING_FOUND)
    if trace or as_json:
        write_result(_compact(result_object(machine, chosen, result)), "json")
    if not as_json:
        for line in report_lines(result):
            write_stderr(line) if trace else write_result(line)
    return ExitCode.NOTHING_FOUND


def _machine(fork: Fork, trace: bool) -> Machine:
    from simulator.evm.host import Host
    from simulator.evm.machine import Machine
    from simulator.kernel_loader import load_kernel

    if not trace:
        return Machine(load_kernel(), Host, fork=fork, host_addresses=False)
    from simulator.evm.eip3155 import step_object
    from simulator.evm.stepping import stepping_machine

    def report(step: Any) -> None:
        write_json_line(_compact(step_object(step)))

    return stepping_machine(report, fork=fork, host_addresses=False)


def result_object(machine: Machine, fork: Fork, result: Result) -> dict[str, Any]:
    """EIP-3155's summary, then status, refund counter and logs."""
    from simulator.evm.eip3155 import summary_object
    from simulator.evm.statetest.state import state_root

    root = state_root(machine, keep_empty=not fork.removes_empty)
    return {
        **summary_object(root, result.output, result.gas_used, result.status, fork.name),
        "status": status_text(result),
        "refund": hex(result.refund),
        "logs": [_log_object(log) for log in result.logs],
    }


def _compact(fields: dict[str, Any]) -> str:
    return json.dumps(fields, separators=(",", ":"))


def _log_object(log: EmittedLog) -> dict[str, Any]:
    return {
        "address": f"0x{log.address:040x}",
        "topics": [f"0x{topic:064x}" for topic in log.topics],
        "data": "0x" + log.data.hex(),
    }


def status_text(result: Result) -> str:
    return result.status.name.lower().replace("_", " ")


def report_lines(result: Result) -> Iterator[str]:
    """The readable result."""
    yield f"status    {status_text(result)}"
    yield f"output    0x{result.output.hex()}"
    yield f"gas used  {result.gas_used}"
    if result.refund:
        yield f"refund    {result.refund}"
    for number, log in enumerate(result.logs):
        yield f"log {number}     0x{log.address:040x}"
        for topic in log.topics:
            yield f"  topic   0x{topic:064x}"
        yield f"  data    0x{log.data.hex()}"


run = GroupedCommand(
    "run",
    callback=_run,
    examples=EXAMPLES,
    exit_codes=PLAIN_EXIT_CODES,
    short_help="Execute bytecode: status, output, gas, logs, trace.",
    help="Execute runtime bytecode in an empty state and print status, output, gas and logs. Gas is that of execution: "
    "no intrinsic gas is charged, no refund subtracted. --trace steps through the program, slowly.",
    params=[
        GroupedOption(
            "--code",
            group="Program",
            metavar="HEX|FILE",
            required=True,
            type=HexBytes(MAX_CODE_BYTES, files=True),
            help="Runtime bytecode, or a file that holds it in hex.",
        ),
        GroupedOption(
            "--input",
            "data",
            group="Program",
            metavar="HEX",
            default="",
            type=HexBytes(MAX_INPUT_BYTES),
            help="Calldata.",
            shown_default="none",
        ),
        GroupedOption(
            "--gas",
            group="Program",
            metavar="N",
            default=str(DEFAULT_GAS),
            type=NumberOption(63),
            help="Gas for execution.",
            shown_default=str(DEFAULT_GAS),
        ),
        GroupedOption(
            "--value",
            group="Program",
            metavar="N",
            default="0",
            type=NumberOption(256),
            help="Wei that the program receives, out of nowhere.",
            shown_default="0",
        ),
        GroupedOption(
            "--sender",
            group="Program",
            metavar="ADDRESS",
            default=DEFAULT_SENDER,
            type=NumberOption(160),
            help="CALLER and ORIGIN.",
            shown_default=DEFAULT_SENDER,
        ),
        GroupedOption(
            "--fork",
            group="Program",
            metavar="NAME",
            default="cancun",
            help="Rules and gas prices.",
            shown_default="cancun",
        ),
        GroupedOption(
            "--trace",
            group="Output",
            is_flag=True,
            help="EIP-3155 trace on stdout, a JSON object a line; the result is the last, and goes as text to stderr.",
        ),
        GroupedOption("--json", "as_json", group="Output", is_flag=True, help="The result as JSON, no text."),
    ],
)
