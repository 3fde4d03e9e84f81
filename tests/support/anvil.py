"""A real node: anvil, from the variable ANVIL or the PATH (npm's `@foundry-rs/anvil` has it)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.patience import PATIENCE

MAX_ASKED = 10_000
REASON = "anvil is neither in ANVIL nor on the PATH (npm install @foundry-rs/anvil)"


def find_anvil() -> str | None:
    return shutil.which(os.environ.get("ANVIL") or "anvil")


@dataclass
class Anvil:
    """A running node, whose first account has 10,000 ether and is unlocked."""

    url: str
    process: subprocess.Popen[str]

    def rpc(self, method: str, *params: Any) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            document = json.load(response)
        assert "error" not in document, document["error"]
        return document["result"]

    def deploy(self, code: bytes) -> int:
        """The address of a contract that the first account makes."""
        (account, *_) = self.rpc("eth_accounts")
        digest = self.rpc("eth_sendTransaction", {"from": account, "data": "0x" + code.hex()})
        # The node mines at once, but answers before it has.
        for _ in range(MAX_ASKED):
            if (receipt := self.rpc("eth_getTransactionReceipt", digest)) is not None:
                return int(receipt["contractAddress"], 16)
        raise AssertionError("the deployment is not mined")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def running_anvil() -> Iterator[Anvil]:
    """A fresh chain; nothing of it is left afterwards."""
    program = find_anvil()
    assert program is not None
    process = subprocess.Popen(
        [program, "--port", "0", "--accounts", "2"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        try:
            address = ""
            for line in process.stdout:
                if line.startswith("Listening on "):
                    address = line.removeprefix("Listening on ").strip()
                    break
            assert address, "anvil did not start"
            yield Anvil(f"http://{address}", process)
        finally:
            process.kill()
            process.wait()
