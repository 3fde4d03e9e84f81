"""A process that executes exported tests: reads an `Execution` on stdin, writes the outcomes to stdout, as MessagePack.

The tests hold contracts of strangers, so they run in a process of their own, which can be given up.
"""

from __future__ import annotations

import sys

import msgspec

from simulator.errors import SimulatorError
from simulator.foundry_tests.execution import Execution, execute

REFUSED = 3


def main() -> int:
    try:
        outcomes = execute(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Execution))
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return REFUSED
    sys.stdout.buffer.write(msgspec.msgpack.encode(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
