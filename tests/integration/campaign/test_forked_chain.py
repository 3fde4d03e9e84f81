"""Campaigns on a forked chain through the real command, on a real node."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from simulator.abi.contract import ContractAbi
from simulator.chain.opening import open_state, pin_block
from simulator.chain.patience import Clock
from simulator.compile import CompileOptions, compile_targets
from simulator.evm.forked_state import fork_chain
from simulator.evm.host import Host
from simulator.evm.machine import Machine
from simulator.fuzz.targets.surroundings import forked_block
from simulator.kernel_loader import cache_folder, load_kernel
from simulator.project import Contract
from tests.support.anvil import REASON, Anvil, find_anvil, running_anvil
from tests.support.fake_chain import FakeChain, serve, status
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration
needs_anvil = pytest.mark.skipif(find_anvil() is None, reason=REASON)

FOLDER = Path(__file__).parents[2] / "support" / "forked"
BANK = 0x5FBDB2315678AFECB367F032D93F642F64180AA3
LEDGER = 0x1ED6E2
OWNER = 0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266
COMMAND = (sys.executable, "-m", "orchestrator", "fuzz", str(FOLDER / "BankTest.sol"), "--seed", "1")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def bank() -> Contract:
    project = compile_targets([FOLDER / "Bank.sol"], CompileOptions(solc_version="0.8.30"))
    return next(contract for contract in project.contracts if contract.name == "Bank")


@pytest.fixture
def anvil(bank: Contract) -> Iterator[Anvil]:
    """A node where the bank stands with a total of 1000."""
    with running_anvil() as node:
        assert node.deploy(bank.creation_code + (1000).to_bytes(32, "big")) == BANK
        yield node


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command, with a cache of its own for what is fetched."""
    kernel = cache_folder()
    cache = tmp_path / "cache"
    cache.mkdir()
    for folder in ("kernel", "solc", "solc-versions", "compiled"):
        (cache / folder).symlink_to(kernel.parent / folder)

    def run_command(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, "--rpc-url", url, *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, "MONOTREME_CACHE": str(cache)},
        )

    return run_command


def statuses(result: subprocess.CompletedProcess[str]) -> dict[str, str]:
    report = json.loads(result.stdout)
    return {test["name"]: test["status"] for test in report["tests"]}


@needs_anvil
def test_a_bug_that_needs_the_chain_is_found_and_found_again_without_it(anvil: Anvil, run: Run) -> None:
    """Two workers share what they fetch; with the node gone, the next campaign lives on their cache."""
    arguments = ("--workers", "2", "--test-limit", "20000", "--format", "json")
    expected = {"echidna_total_only_grows": "passed", "echidna_total_stays_small": "falsified"}
    first = run(anvil.url, *arguments)
    assert first.returncode == 1, first.stderr
    assert statuses(first) == expected
    assert "Forked chain 31337 at block 1 (0x" in first.stderr
    anvil.kill()
    again = run(anvil.url, *arguments, "--rpc-block", "1")
    assert again.returncode == 1, again.stderr
    assert statuses(again) == expected
    assert "from the cache alone" in again.stderr


@needs_anvil
def test_calls_on_the_fork_do_what_the_node_says(anvil: Anvil, bank: Contract, tmp_path: Path) -> None:
    """Output, success and gas of random calls, in the environment of the forked block."""
    block = pin_block(anvil.url, None, tmp_path).block
    machine = Machine(load_kernel(), Host, fork=block.rules)
    with closing(open_state(anvil.url, block, tmp_path, Clock(), pytest.fail)) as state:
        fork_chain(machine, state, forked_block(block))
        rng = random.Random(1)
        for sender, data in random_calls(rng, ContractAbi.from_json(bank.abi), 120):
            mark = machine.mark()
            ours = machine.transact(sender=sender, to=BANK, data=data, gas=10_000_000, mint=False)
            machine.rollback(mark)
            gas = ours.gas_used + 21_000 + sum(16 if byte else 4 for byte in data)
            theirs = trace_call(anvil, sender, data)
            assert (ours.success, "0x" + ours.output.hex(), gas - min(ours.refund, gas // 5)) == (
                "error" not in theirs,
                theirs.get("output", "0x"),
                int(theirs["gasUsed"], 16),
            ), data.hex()


def random_calls(rng: random.Random, abi: ContractAbi, count: int) -> Iterator[tuple[int, bytes]]:
    functions = {function.name: function for function in abi.functions}
    for _ in range(count):
        who = rng.choice([OWNER, BANK, 1, rng.getrandbits(160)])
        name, arguments = rng.choice(
            [
                ("deposit", (rng.randrange(256),)),
                ("withdraw", (rng.choice([0, 5, 1000, 1001]),)),
                ("look", (rng.randrange(4), who)),
                ("environment", ()),
                ("clear", ()),
                ("make", (rng.randbytes(32),)),
                ("balances", (who,)),
                ("ledger", ()),
            ]
        )
        yield rng.choice([OWNER, 0x1234]), functions[name].encode_call(arguments)


def trace_call(anvil: Anvil, sender: int, data: bytes) -> dict[str, Any]:
    call = {"from": f"0x{sender:040x}", "to": f"0x{BANK:040x}", "data": "0x" + data.hex(), "gas": hex(11_000_000)}
    found: dict[str, Any] = anvil.rpc("debug_traceCall", call, "latest", {"tracer": "callTracer"})
    return found


def test_a_chain_that_cannot_be_forked_fails_the_start_in_one_line(run: Run) -> None:
    """Exit code 3, nothing on stdout, and no key of the URL anywhere, not even where the node repeats it."""
    error = {"code": -32000, "message": "missing trie node for project hush-hush"}
    with serve(FakeChain(errors={"eth_getBalance": error})) as chain:
        result = run(chain.url.replace("http://", "http://me:swordfish@") + "/v1/hush-hush")
        host = chain.url
    assert (result.returncode, result.stdout) == (3, "")
    (line,) = [line for line in result.stderr.splitlines() if "rror" in line]
    assert line.startswith(f"error: rpcUrl: {host} answered: missing trie node for project *** (code -32000)")
    assert "archive node" in line
    assert not any(secret in result.stderr for secret in ("swordfish", "hush-hush"))


def test_a_chain_that_is_lost_ends_the_campaign_with_what_was_found(run: Run, tmp_path: Path) -> None:
    """The node forbids everything once the campaign runs: a report, the reason in one line, the corpus."""
    project = compile_targets([FOLDER / "Bank.sol"], CompileOptions(solc_version="0.8.30"))
    codes = {contract.name: contract.runtime_code for contract in project.contracts}
    chain = FakeChain(codes={BANK: codes["Bank"], LEDGER: codes["Ledger"]})
    chain.slots.update({(BANK, 0): 1000, (BANK, 2): LEDGER})
    chain.faults.extend([None] * 16)
    chain.always = status(403)
    with serve(chain):
        result = run(chain.url, "--workers", "1", "--corpus-dir", str(tmp_path / "corpus"))
    assert result.returncode == 3, result.stderr + result.stdout
    assert "the forked chain is out of reach" in result.stdout
    assert "HTTP 403" in result.stderr
    assert "ChainForked" in (tmp_path / "corpus" / "events.jsonl").read_text()
