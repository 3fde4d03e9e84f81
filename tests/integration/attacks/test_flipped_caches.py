"""A flipped byte of anything that is kept between campaigns never yields a finding, a crash or a wrong value.

Whatever is damaged is either as good as missing, and told in one line, or has its old value.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from simulator.cache.store import Cache
from simulator.chain.cache import StateCache
from simulator.chain.folder import recall_block, remember_block
from simulator.compile.options import CompileOptions
from simulator.compile.pipeline import compile_targets
from simulator.compile.solc.npm import NpmCompilers
from simulator.compile.solc.runner import ProcessResult, run_process
from simulator.endpoint import parse_endpoints
from simulator.evm.compiled.store import CompiledContract, ObjectStore
from simulator.evm.forked_state import ChainAccount
from simulator.evm.kernel.object_file import kernel_cache
from simulator.forked_block import ForkedBlock
from simulator.kernel_loader import cache_folder, load_object, source_key
from simulator.project import Project

FEW, MANY = 12, 400
TARGET = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Target {
    uint x;
    function set(uint a) public { x = a; }
    function echidna_holds() public pure returns (bool) { return true; }
}
"""
SteeringFrame = list[str]
Read = Callable[[SteeringFrame], object]


def positions(size: int, count: int) -> Iterator[int]:
    """Spread over a file, its ends among them; all bytes of a small one."""
    if size <= count:
        yield from range(size)
        return
    yield from sorted({index * (size - 1) // (count - 1) for index in range(count)})


def flip(file: Path, whole: bytes, position: int) -> None:
    data = bytearray(whole)
    data[position] ^= 1 << (position % 8)
    file.write_bytes(data)


def attack(file: Path, read: Read, right: object, missing: object, count: int) -> None:
    """Flip a byte at each of some positions; every answer is the right one or none, and none comes with one line."""
    whole = file.read_bytes()
    for position in positions(len(whole), count):
        flip(file, whole, position)
        told: SteeringFrame = []
        answer = read(told)
        assert answer in (right, missing), position
        assert len(told) == int(answer != right), (position, told)
    file.write_bytes(whole)
    assert read([]) == right


COUNTS = pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])


@COUNTS
def test_the_kernel(tmp_path: Path, count: int) -> None:
    """Its object code is machine code: nothing of a damaged one is ever loaded."""
    kernel = load_object()
    kernel_cache(tmp_path).write(source_key(), kernel)
    file = kernel_cache(tmp_path).path(source_key())
    attack(file, lambda told: kernel_cache(tmp_path, told.append).get(source_key()), kernel, None, count)


@COUNTS
def test_compiled_contracts(tmp_path: Path, count: int) -> None:
    """They are machine code as well."""
    compiled = CompiledContract((0, 7), bytes(range(256)) * 20)
    store = ObjectStore(tmp_path)
    store.save("k", compiled)
    attack(store.path("k"), lambda told: ObjectStore(tmp_path, warn=told.append).load("k"), compiled, None, count)


@COUNTS
def test_compilations(tmp_path: Path, count: int) -> None:
    """A wrong byte of a contract's code would be a wrong verdict on it."""
    (tmp_path / "Target.sol").write_text(TARGET)
    options = CompileOptions(cache_directory=tmp_path / "cache")
    _share_compilers(options.cache)
    project = compile_targets([tmp_path / "Target.sol"], options)
    (file,) = (tmp_path / "cache" / "compiled").iterdir()
    cache: Cache[object] = Cache(file.parent, type(project.units[0]))

    def read(told: SteeringFrame) -> object:
        cache._warn = told.append
        return cache.get(file.stem)

    attack(file, read, project.units[0], None, count)
    flip(file, file.read_bytes(), file.stat().st_size // 2)
    again: Project = compile_targets([tmp_path / "Target.sol"], options)
    assert again == project


def _share_compilers(cache: Path) -> None:
    shared = cache_folder().with_name("solc")
    shared.mkdir(parents=True, exist_ok=True)
    cache.mkdir()
    (cache / "solc").symlink_to(shared)


def _npm(argv: Sequence[str], stdin: bytes, cwd: Path, timeout: float) -> ProcessResult:
    if argv[-1] == "--version":
        return ProcessResult(0, b"0.8.30+commit.1", b"")
    package = cwd / "node_modules" / "solc"
    package.mkdir(parents=True)
    (package / "soljson.js").write_bytes(b"module.exports = {};" * 40)
    return ProcessResult(0, b"", b"")


@COUNTS
def test_fetched_compilers(tmp_path: Path, count: int) -> None:
    """The compiler itself, and the digest beside it: it is fetched again, and then as it was."""
    program = Path(NpmCompilers(tmp_path, _npm).command((0, 8, 30))[2])
    for file in (program, program.with_name("0.8.30.sha256")):
        whole = file.read_bytes()
        for position in positions(len(whole), count):
            flip(file, whole, position)
            told: SteeringFrame = []
            command = NpmCompilers(tmp_path, _npm, warn=told.append).command((0, 8, 30))
            assert (len(told), file.read_bytes()) == (1, whole)
            assert NpmCompilers(tmp_path, _npm, warn=pytest.fail).command((0, 8, 30)) == command


def test_a_compiler_that_is_exchanged_after_the_check_does_not_run(tmp_path: Path) -> None:
    """What runs it reads it once, and checks what it has read."""
    command = NpmCompilers(tmp_path, _npm).command((0, 8, 30))
    Path(command[2]).write_text(f"require('fs').writeFileSync({str(tmp_path / 'ran')!r}, '')")
    result = run_process(command, b"{}", tmp_path, 60.0)
    assert result.returncode == 1
    assert b"not the compiler that was fetched" in result.stderr
    assert not (tmp_path / "ran").exists()


BLOCK = ForkedBlock(1, 5, 32 * b"\1", 1, bytes(20), bytes(32), 1, bytes(32), bytes(32))


@COUNTS
def test_the_block_of_a_number(tmp_path: Path, count: int) -> None:
    """It decides which state a campaign without a node begins with."""
    endpoints = parse_endpoints("http://a/key")
    remember_block(tmp_path, endpoints, BLOCK)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for position in positions(len(whole), count):
        flip(file, whole, position)
        assert recall_block(tmp_path, endpoints, 5) is None


ACCOUNTS = {number: ChainAccount(10**18 * number, number, bytes([number]) * 600) for number in range(1, 9)}
SLOTS = [(account, slot, account * 1_000 + slot) for account in ACCOUNTS for slot in range(1, 30)]


@pytest.mark.parametrize("count", [2 * FEW, pytest.param(2 * MANY, marks=pytest.mark.nightly)])
def test_state_of_a_forked_chain(tmp_path: Path, count: int) -> None:
    """Accounts, codes and slots are right or missing; what is missing can be kept again, with one line at most."""
    path = tmp_path / "1.sqlite"
    with closing(StateCache(path)) as cache:
        cache.keep_accounts(ACCOUNTS.items())
        cache.keep_slots(SLOTS)
    whole = path.read_bytes()
    for position in positions(len(whole), count):
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        flip(path, whole, position)
        told: SteeringFrame = []
        with closing(StateCache(path, told.append)) as cache:
            for number, account in ACCOUNTS.items():
                assert cache.account(number) in (account, None), position
                known = {slot: value for owner, slot, value in SLOTS if owner == number}
                assert cache.slots_of(number, 100).items() <= known.items(), position
            for number, slot, value in SLOTS:
                assert cache.slot(number, slot) in (value, None), position
            cache.keep_accounts(ACCOUNTS.items())
            cache.keep_slots(SLOTS)
        assert len(told) <= 1, told


@pytest.mark.nightly
def test_a_campaign_with_a_damaged_kernel_builds_it_again(tmp_path: Path) -> None:
    """No finding, no crash, the usual exit code and one line; and the next campaign has nothing to tell."""
    (tmp_path / "Target.sol").write_text(TARGET)
    cache = tmp_path / "cache"
    _share_compilers(cache)
    kernel_cache(cache / "kernel").write(source_key(), load_object())
    file = kernel_cache(cache / "kernel").path(source_key())
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(whole[:middle] + bytes(byte ^ 0xFF for byte in whole[middle : middle + 64]) + whole[middle + 64 :])
    command = [sys.executable, "-m", "orchestrator", "fuzz", str(tmp_path / "Target.sol"), "--test-limit", "2000"]
    for lines in (1, 0):
        environment = {**os.environ, "MONOTREME_CACHE": str(cache)}
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=900)
        assert result.returncode == 0, result.stderr
        assert result.stderr.count(": damaged") == lines, result.stderr
