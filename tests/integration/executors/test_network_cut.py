"""The network between two machines of a Ray cluster is cut, and its bridge is frozen. The second machine is a network
namespace; workers are fakes that speak real frames."""

from __future__ import annotations

import faulthandler
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import trio

from actors.campaign.status import CampaignStatus
from actors.executors.messages import LEASE_SECONDS, Connect
from actors.executors.ray_executor import ray_spawner
from actors.steering.commands import Stop
from actors.workers.services import WorkerLimits
from tests.actors.conftest import Assembly, assemble
from tests.support.namespaces import FAR, NEAR, FarMachine, far_machine
from tests.support.patience import PATIENCE, until, wait_for
from tests.support.steered import ENDLESS

PROGRAM = Path(__file__).parents[2] / "support" / "fake_worker_program.py"
PORT = 6_397
LEASE = 10.0
SILENCE = 5.0
FIVE_MINUTES = 300.0
ENVIRONMENT = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_enable_metrics_collection": "0",
}

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: monotreme[ray]"),
]


@dataclass(frozen=True)
class TwoMachines:
    far: FarMachine
    address: str

    def far_workers(self) -> list[int]:
        return [worker.pid for worker in _workers() if worker.pid in self.far.pids()]


def _workers() -> list[psutil.Process]:
    found = []
    for each in psutil.process_iter():
        try:
            if str(PROGRAM) in each.cmdline() and each.status() != psutil.STATUS_ZOMBIE:
                found.append(each)
        except psutil.Error:
            continue
    return found


@contextmanager
def ray_node(command: list[str]) -> Iterator[None]:
    process = subprocess.Popen(
        command, env={**os.environ, **ENVIRONMENT}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    family: list[psutil.Process] = []
    try:
        yield
        family = psutil.Process(process.pid).children(recursive=True)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for each in family:
            if each.is_running():
                each.kill()


def alive() -> set[str]:
    """Nodes of the cluster. Asked by a process of its own, which Ray may end."""
    program = (
        f"import ray; ray.init('{NEAR}:{PORT}', log_to_driver=False);"
        "print(*(node['NodeManagerAddress'] for node in ray.nodes() if node['Alive']))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **ENVIRONMENT}, capture_output=True, check=False, text=True
    )
    return set(answer.stdout.split())


@pytest.fixture
def machines() -> Iterator[TwoMachines]:
    """New for each test: Ray may have given up a machine that was cut off. The head has no cores, so that workers go to
    the far machine as long as it can be reached."""
    program = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--object-store-memory", str(150 << 20)]
    folder = tempfile.mkdtemp(prefix="mt")  # short: Ray's sockets are below it
    head = [*program, "--head", f"--node-ip-address={NEAR}", f"--port={PORT}", "--num-cpus=0", f"--temp-dir={folder}"]
    node = [*program, f"--address={NEAR}:{PORT}", f"--node-ip-address={FAR}", "--num-cpus=8"]
    with far_machine() as far, ray_node([*head, "--include-dashboard=false"]):
        wait_for(lambda: alive() == {NEAR}, "the head")
        with ray_node(far.command(*node)):
            wait_for(lambda: alive() == {NEAR, FAR}, "the far machine")
            yield TwoMachines(far, f"{NEAR}:{PORT}")
            far.mend()
        far.kill_all()
    shutil.rmtree(folder, ignore_errors=True)
    wait_for(lambda: not _workers(), "no process stays")


async def campaign(
    machines: TwoMachines,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    nursery: trio.Nursery,
    lease: float = LEASE,
    silence: float = SILENCE,
) -> Assembly:
    """Two endless workers, of which both run on the far machine when it returns."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    (folder / "project").write_bytes(b"fakes do not read it")
    script = {"falsify": {}, "seconds_per_frame": 0.02}
    argv = (sys.executable, str(PROGRAM), json.dumps(script))
    connect = Connect(machines.address, os.fsencode(folder / "project"), argv=argv, lease=lease)
    said: list[str] = []
    spawner = ray_spawner(connect, nursery, said.append)
    limits = WorkerLimits(hello=PATIENCE, deploy=PATIENCE, silence=silence, measure=0.5)
    assembly = assemble(spawner, ENDLESS, workers=2, limits=limits)
    nursery.start_soon(assembly.run)
    await until(lambda: places(assembly) == [FAR, FAR])
    await calls_grow(assembly)
    return assembly


def places(assembly: Assembly) -> list[str]:
    return [worker.statistics().node for worker in assembly.workers if worker.statistics().state == "fuzz"]


async def calls_grow(assembly: Assembly) -> CampaignStatus:
    """By the budget's figures. Returns the status afterwards."""
    before = assembly.campaign.status().calls
    await until(lambda: assembly.campaign.status().calls > before + 2_000)
    return assembly.campaign.status()


async def end(assembly: Assembly, nursery: trio.Nursery) -> None:
    status = assembly.campaign.status()
    assert status.quarantine.quarantined == 0
    assert not any(test.info.kind == "crash" for test in status.tests)
    await assembly.campaign.ask(Stop(), PATIENCE)
    await until(lambda: not _workers())
    nursery.cancel_scope.cancel()


async def test_a_cut_that_is_shorter_than_everybodys_patience_costs_nothing_found(machines, tmp_path, monkeypatch):
    async with trio.open_nursery() as nursery:
        assembly = await campaign(machines, tmp_path, monkeypatch, nursery)
        found = assembly.keeper.statistics().sequences
        machines.far.cut()
        await trio.sleep(10)
        machines.far.mend()
        status = await calls_grow(assembly)
        assert status.corpus.sequences >= found > 0
        await end(assembly, nursery)


async def test_workers_of_a_machine_that_is_cut_off_end_there_and_continue_elsewhere(machines, tmp_path, monkeypatch):
    """The lease ends them while the cable is still out; the campaign's go to the machine that it can reach."""
    async with trio.open_nursery() as nursery:
        assembly = await campaign(machines, tmp_path, monkeypatch, nursery)
        found = assembly.keeper.statistics().sequences
        machines.far.cut()
        await until(lambda: not machines.far_workers())
        await until(lambda: places(assembly) == [NEAR, NEAR])
        status = await calls_grow(assembly)
        assert status.corpus.sequences >= found > 0
        machines.far.mend()
        await calls_grow(assembly)
        await end(assembly, nursery)


async def test_a_cut_of_five_minutes_costs_nothing_found_with_the_limits_of_users(machines, tmp_path, monkeypatch):
    """The campaign goes on elsewhere meanwhile, and nothing of the far machine's is left when the cable is back."""
    faulthandler.cancel_dump_traceback_later()  # it would take the five minutes for a test that hangs
    async with trio.open_nursery() as nursery:
        patience = WorkerLimits().silence
        assembly = await campaign(machines, tmp_path, monkeypatch, nursery, LEASE_SECONDS, patience)
        found = assembly.keeper.statistics().sequences
        given_up = set(machines.far_workers())
        machines.far.cut()
        mended = trio.current_time() + FIVE_MINUTES
        await until(lambda: places(assembly) == [NEAR, NEAR])
        await calls_grow(assembly)
        await trio.sleep_until(mended)
        assert not given_up & {worker.pid for worker in _workers()}
        machines.far.mend()
        status = await calls_grow(assembly)
        assert status.corpus.sequences >= found > 0
        await end(assembly, nursery)


async def test_workers_end_when_the_bridge_is_frozen_for_longer_than_the_lease(machines, tmp_path, monkeypatch):
    async with trio.open_nursery() as nursery:
        assembly = await campaign(machines, tmp_path, monkeypatch, nursery)
        bridge = next(
            each for each in psutil.Process().children() if "actors.executors.ray_bridge" in " ".join(each.cmdline())
        )
        bridge.send_signal(signal.SIGSTOP)
        try:
            await until(lambda: not _workers())
        finally:
            bridge.send_signal(signal.SIGCONT)
        await calls_grow(assembly)
        await end(assembly, nursery)
