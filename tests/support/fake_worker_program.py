"""The fake worker as a real process: `fake_worker_program.py [JSON]`.

The JSON holds fields of `FakeScript`, `seconds_per_frame`, `exit_at_start`, and `allocate_once`: the name of a file,
and the process that makes it takes 400 MiB.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import time
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from simulator.fuzz.sharing.shared_memory import inherited_memory
from simulator.worker.commands import Stop
from simulator.worker.frame import PROTOCOL_VERSION
from simulator.worker.framing import encode_frame
from simulator.worker.reports import Hello
from tests.support.fake_worker import CommandQueue, CrashedError, FakeBrain, FakeScript, SilentError

PR_SET_PDEATHSIG = 1


def main() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    fields = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    fields.pop("slow_report", None)
    if (code := fields.pop("exit_at_start", None)) is not None:
        sys.exit(code)
    pause = fields.pop("seconds_per_frame", 0.0)
    hoard = allocated(fields.pop("allocate_once", None))
    if "falsify" in fields:
        fields["falsify"] = {int(test): after for test, after in fields["falsify"].items()}
    brain = FakeBrain(FakeScript(**fields))
    memory = inherited_memory()
    holding = memory.holding if memory is not None else lambda _: nullcontext()
    send(Hello(os.getpid(), PROTOCOL_VERSION))
    assert hoard is not None
    commands = CommandQueue()
    while hear(commands):
        command = commands.next()
        if isinstance(command, Stop):
            return
        try:
            for frame in brain.answer(command):
                time.sleep(pause)
                send(frame)
        except CrashedError:
            with holding(brain.executing):
                os.kill(os.getpid(), signal.SIGSEGV)
        except SilentError:
            time.sleep(3600)


def hear(commands: CommandQueue) -> bool:
    """Read until there is a command, and whatever is there to come before it. False at the end of the input."""
    while commands.is_empty or (commands.has_only_ahead and select.select([0], [], [], 0)[0]):
        if not (data := os.read(0, 65_536)):
            return False
        commands.feed(data)
    return True


def allocated(flag: str | None) -> bytearray:
    """Memory that is really there, for the first process that asks."""
    if flag is None or os.path.exists(flag):
        return bytearray()
    Path(flag).touch()
    return bytearray(b"\x01") * (400 << 20)


def send(frame: object) -> None:
    data = encode_frame(frame)
    while data:
        data = data[os.write(1, data) :]


main()
