"""`monotreme evm run`: the result, the trace, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.command_line.entry import run
from tests.support.patience import PATIENCE

ADD = "0x600160020160005260206000f3"
THREE = "0x" + 63 * "0" + "3"
# Store 7 in slot 5, then log the word 0xff with the topic 9.
STORE_AND_LOG = "6007600555 60ff600052 6009 6020 6000 a1 00".replace(" ", "")


def evm_run(*arguments: str) -> int:
    return run(["evm", "run", *arguments])


def test_the_result_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Status, output and the gas of execution."""
    assert evm_run("--code", ADD) == 0
    assert capsys.readouterr().out == f"status    return\noutput    {THREE}\ngas used  24\n"


def test_logs_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """With address, topics and data."""
    assert evm_run("--code", STORE_AND_LOG) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:] == [
        "log 0     0x000000000000000000000000000000000000c0de",
        f"  topic   0x{9:064x}",
        f"  data    0x{0xFF:064x}",
    ]


def test_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    """EIP-3155's summary, then status, refund and logs."""
    assert evm_run("--code", STORE_AND_LOG, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result.pop("stateRoot")) == 66
    topic, data = f"0x{9:064x}", f"0x{0xFF:064x}"
    assert result == {
        "output": "0x",
        "gasUsed": hex(22106 + 12 + 3 * 3 + 375 * 2 + 8 * 32),
        "pass": True,
        "fork": "cancun",
        "status": "stop",
        "refund": "0x0",
        "logs": [{"address": "0x000000000000000000000000000000000000c0de", "topics": [topic], "data": data}],
    }


def test_a_failure_is_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, because the program was executed."""
    assert evm_run("--code", "fe", "--gas", "100", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["pass"], result["gasUsed"], result["status"]) == (False, "0x64", "invalid opcode")
    assert result["error"] == "invalid opcode: INVALID"


def test_input_value_sender_and_fork_reach_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    """CALLDATASIZE + CALLVALUE + CALLER; and PUSH0, which London does not have."""
    code = "36340133016000526020 6000f3".replace(" ", "")
    assert evm_run("--code", code, "--input", "0x0102", "--value", "0x10", "--sender", "256") == 0
    assert f"output    0x{2 + 16 + 256:064x}\n" in capsys.readouterr().out
    assert evm_run("--code", "5f", "--fork", "London") == 0
    assert capsys.readouterr().out.startswith("status    unknown opcode\n")


def test_code_may_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Hex as compilers write it, with line ends."""
    path = tmp_path / "program.bin"
    path.write_text(ADD[:10] + "\n" + ADD[10:] + "\n")
    assert evm_run("--code", str(path)) == 0
    assert THREE in capsys.readouterr().out


def test_the_trace_has_a_line_for_each_instruction(capsys: pytest.CaptureFixture[str]) -> None:
    """On stdout, the result as the last line; the text for people is on stderr."""
    assert evm_run("--code", "6001600201 00", "--trace") == 2
    assert evm_run("--code", "600160020100", "--gas", "100", "--trace") == 0
    output, errors = capsys.readouterr()
    *steps, summary = [json.loads(line) for line in output.splitlines()]
    common = {"memSize": 0, "depth": 1, "returnData": "0x", "refund": "0x0"}
    assert steps == [
        {"pc": 0, "op": 0x60, "gas": "0x64", "gasCost": "0x3", "stack": [], "opName": "PUSH1", **common},
        {"pc": 2, "op": 0x60, "gas": "0x61", "gasCost": "0x3", "stack": ["0x1"], "opName": "PUSH1", **common},
        {"pc": 4, "op": 0x01, "gas": "0x5e", "gasCost": "0x3", "stack": ["0x1", "0x2"], "opName": "ADD", **common},
        {"pc": 5, "op": 0x00, "gas": "0x5b", "gasCost": "0x0", "stack": ["0x3"], "opName": "STOP", **common},
    ]
    assert (summary["pass"], summary["output"], summary["gasUsed"]) == (True, "0x", "0x9")
    assert errors.endswith("status    stop\noutput    0x\ngas used  9\n")


def test_a_traced_run_comes_to_the_same_result(capsys: pytest.CaptureFixture[str]) -> None:
    """Also its state root, with `--json` instead of the text."""
    evm_run("--code", STORE_AND_LOG, "--json")
    plain = capsys.readouterr().out
    evm_run("--code", STORE_AND_LOG, "--json", "--trace")
    output, errors = capsys.readouterr()
    assert output.splitlines()[-1] == plain.rstrip()
    assert errors == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing option '--code'"),
        (["--code", "zz"], "'zz' is neither hex nor a file that can be read"),
        (["--code", "0x123"], "'0x123' is neither hex nor a file"),
        (["--code", "."], "'.' is neither hex nor a file"),
        (["--code", "a\0b"], "is neither hex nor a file"),
        (["--code", "text.txt"], "the file text.txt does not hold hex"),
        (["--code", "huge.bin"], "bytes, the limit is 1048576"),
        (["--code", "00", "--input", "0x1"], "this is not hex"),
        (["--code", "00", "--gas", "-1"], "'-1' is not a number"),
        (["--code", "00", "--gas", str(1 << 63)], "does not fit 63 bits"),
        (["--code", "00", "--value", "0x1" + 64 * "0"], "is not a number"),
        (["--code", "00", "--value", str(1 << 256)], "does not fit 256 bits"),
        (["--code", "00", "--sender", "0x1" + 40 * "0"], "does not fit 160 bits"),
        (["--code", "00", "--fork", "nowhere"], "'nowhere'"),
    ],
)
def test_wrong_input_is_refused(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, and the allowed form."""
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("not code")
    Path("huge.bin").write_text("00" * ((1 << 20) + 1))
    assert evm_run(*arguments) == 2
    assert message in capsys.readouterr().err


def test_help_imports_nothing_heavy() -> None:
    """The EVM is loaded when a command runs."""
    script = (
        "import sys\n"
        "from orchestrator.command_line.entry import run\n"
        "run(['evm', '--help']); run(['evm', 'run', '--help']); run(['evm', 'statetest', '--help'])\n"
        "heavy = {'trio', 'pydantic', 'numba', 'numpy', 'llvmlite', 'msgspec', 'coincurve'}\n"
        "sys.stderr.write(' '.join(sorted(heavy & set(sys.modules))))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stderr == ""
