"""When code is compiled, where objects are kept, and what happens when it fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.evm.code_store import CoverageIdentity
from simulator.evm.compiled import hot_codes
from simulator.evm.compiled.blocks import read_code
from simulator.evm.compiled.compiler import compile_code
from simulator.evm.compiled.hot_codes import HotCodes
from simulator.evm.compiled.store import CLAIM_SECONDS, CompiledContract, ObjectStore, key_of
from simulator.evm.host import Host
from simulator.evm.kernel.layout.code import RUNTIME, Code
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine
from tests.support.branching_programs import link

SENDER, CONTRACT = 0xAAAA, 0xC0DE
COUNTDOWN = link("255 :loop 1 SWAP1 SUB DUP1 @loop JUMPI 1 SLOAD 1 ADD 1 SSTORE STOP")


@pytest.fixture
def machine(compiled: Kernel) -> Machine:
    """A machine whose state, with one contract that counts down, is sealed."""
    made = Machine(compiled, Host)
    made.set_account(CONTRACT, code=COUNTDOWN)
    made.seal()
    return made


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "contracts")


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """A code is hot after some ten executions of a block."""
    monkeypatch.setattr(hot_codes, "WORTH_COMPILING", 10)
    monkeypatch.setattr(hot_codes, "WORTH_LOADING", 5)


def run(machine: Machine) -> int:
    return machine.transact(sender=SENDER, to=CONTRACT, gas=100_000).gas_used


def record_of(machine: Machine) -> Code:
    return machine.code_store.find(COUNTDOWN, RUNTIME)


def is_compiled(machine: Machine) -> bool:
    return record_of(machine).compiled != 0


def test_code_that_runs_often_is_compiled(machine: Machine, store: ObjectStore) -> None:
    """Cold code is left alone; hot code is compiled by another process, and costs the same gas."""
    hot = HotCodes(machine, store=store)
    hot.wait()
    assert not is_compiled(machine)
    run(machine)
    before = run(machine)
    hot.wait()
    assert (is_compiled(machine), hot.installed) == (True, 1)
    assert run(machine) == before
    assert machine.get_storage(CONTRACT, 1) == 3


def test_another_campaign_loads_what_was_compiled(machine: Machine, store: ObjectStore, compiled: Kernel) -> None:
    """The key is the code and the rules that it is decoded by, whatever the machine."""
    run(machine)
    HotCodes(machine, store=store).wait()
    other = Machine(compiled, Host)
    other.set_account(CONTRACT, code=COUNTDOWN)
    other.seal()
    run(other)
    HotCodes(other, store=store, warn=pytest.fail).look()
    assert is_compiled(other)


def test_a_code_is_compiled_by_one_process_at_a_time(machine: Machine, store: ObjectStore) -> None:
    """A claim keeps others from compiling the same; an old claim is void."""
    key = key_of(machine, record_of(machine))
    assert store.claim(key)
    assert not store.claim(key)
    run(machine)
    hot = HotCodes(machine, store=store)
    hot.wait()
    assert not is_compiled(machine)
    claim = store.folder / f"{key}.claim"
    os.utime(claim, (0, claim.stat().st_mtime - CLAIM_SECONDS - 1))
    hot.wait()
    assert is_compiled(machine)
    assert not claim.exists()


def test_what_runs_in_place_of_a_code_has_a_key_of_its_own(compiled: Kernel) -> None:
    """A mutant is never run as what was compiled of the contract itself."""
    machine = Machine(compiled, Host, identify=lambda *_: CoverageIdentity("Countdown"))
    own = key_of(machine, machine.code_store.register(COUNTDOWN, RUNTIME))
    machine = Machine(compiled, Host, identify=lambda *_: CoverageIdentity("Countdown"))
    machine.code_store.substitute = lambda _contract, code, _creation: code.replace(b"\x03", b"\x01")
    assert key_of(machine, machine.code_store.register(COUNTDOWN, RUNTIME)) != own


def test_a_claim_ends_with_its_process(store: ObjectStore) -> None:
    """A worker that was killed does not keep others waiting."""
    assert store.claim("k")
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    (store.folder / "k.claim").write_text(ended.stdout.decode().strip())
    assert store.claim("k")


def test_a_compiler_that_fails_is_reported_once(
    machine: Machine, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter stays at work."""
    warnings: list[str] = []
    monkeypatch.setattr(hot_codes, "module_command", lambda *_: ["/bin/false"])
    hot = HotCodes(machine, warnings.append, store=store)
    run(machine)
    for _ in range(2):
        hot.wait()
    assert len(warnings) == 1
    assert "stays interpreted" in warnings[0]
    assert run(machine) > 0


def test_a_compilation_ends_with_its_campaign(machine: Machine, store: ObjectStore) -> None:
    """Nothing is left behind, no claim either."""
    run(machine)
    hot = HotCodes(machine, store=store)
    hot.look()
    hot.close()
    assert list(store.folder.glob("*")) == []
    assert not is_compiled(machine)


def test_the_folder_of_objects_keeps_its_size(tmp_path: Path) -> None:
    """The least recently used go first; a damaged one is told and removed."""
    warnings: list[str] = []
    store = ObjectStore(tmp_path, max_bytes=2500, warn=warnings.append)
    for number, key in enumerate("abc"):
        store.save(key, CompiledContract((0,), bytes(1000)))
        os.utime(store.path(key), (number, number))
    store.save("d", CompiledContract((0,), bytes(1000)))
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["c", "d"]
    store.path("c").write_bytes(b"\xc1")
    assert store.load("c") is None
    assert not store.path("c").exists()
    assert len(warnings) == 1


def test_blocks_that_never_ran_are_left_out(compiled: Kernel) -> None:
    """What a profile leaves out makes the object smaller, and is interpreted."""
    machine = Machine(compiled, Host)
    cold = "1 SLOAD 2 SSTORE " * 40
    machine.set_account(CONTRACT, code=link(f"CALLVALUE @rare JUMPI STOP :rare {cold} STOP"))
    machine.seal()
    decoded = read_code(machine.code_store.sealed_records[-1], compiled.handlers)
    hits = [1000, 1000, *[0] * (len(decoded.blocks) - 2)]
    assert len(compile_code(decoded, hits).code) < len(compile_code(decoded).code)
