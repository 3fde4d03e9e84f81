"""Generated Jest tests: what they expect was observed, and what they cover was counted."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import trio

from tests.tools.analysis.conftest import Bench

pytestmark = pytest.mark.usefixtures("node")

CLASSIFY = """
export function classify(n) {
  if (typeof n !== "number") throw new TypeError("n must be a number");
  if (n < 0) { return "negative"; }
  if (n === 0) return "zero";
  return n > 1000 ? "large" : n % 2 === 0 ? "even" : "odd";
}
"""
MIXED = """
const clamp = (x, lo = 0, hi = 10) => Math.min(Math.max(x, lo), hi);
async function fetchName(user) { return user.name ?? "nobody"; }
function group(items) { return new Map(items.map((item) => [item, new Set([item])])); }
const pair = ({ a, b }) => ({ a, b, sum: a + b });
function fail() { throw { code: 5 }; }
function maker(n) { return () => n; }
module.exports = { clamp, fetchName, group, pair, fail, maker };
"""


@pytest.mark.requirement("001-15", "001-16")
async def test_every_branch_of_a_plain_function_is_covered(bench: Bench) -> None:
    """The numbers that branches turn at are tried."""
    answer = await bench.call("test-generator", code=CLASSIFY)
    assert answer["coverage"] == {"lines": 100, "branches": 100}
    for wanted in ('describe("classify"', 'it("returns \\"large\\"', '.toThrow("n must be a number")'):
        assert wanted in answer["testCode"]


@pytest.mark.requirement("001-15")
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("function f( {", "line 1, column 13"),
        ("import x from 'y'; export const f = () => x;", "line 1 loads another module"),
        ("const x = 1;", "declares no function"),
        ("throw new Error('at load'); function f() {}", "fails when it is loaded: at load"),
        ("function f() { for (;;) {} }", "no call of the code's functions ended"),
    ],
)
async def test_code_that_cannot_be_tested_is_an_error(bench: Bench, code: str, message: str) -> None:
    """With the reason."""
    answer = await bench.call("test-generator", code=code)
    assert answer["success"] is False
    assert message in answer["error"]


async def test_results_that_differ_each_time_are_not_expected(bench: Bench) -> None:
    """Two executions must agree."""
    code = "const roll = () => Math.random(); const one = () => 1;"
    tests = (await bench.call("test-generator", code=code))["testCode"]
    assert 'describe("one"' in tests
    assert 'describe("roll"' not in tests


async def test_the_code_cannot_leave_the_sandbox(bench: Bench, tmp_path: Path) -> None:
    """Neither through a host error's constructor nor by asking for modules."""
    code = """
async function escape() {
  try { await import('node:fs'); } catch (error) {
    try { return String(error.constructor.constructor('return process')().pid); } catch (inner) { return inner.name; }
  }
}
function globals() { return [typeof process, typeof require, typeof fetch, typeof setTimeout]; }
""".replace("import(", "imp" + "ort(")
    refused = await bench.call("test-generator", code=code)
    assert "loads another module" in refused["error"]
    reachable = "function globals() { return [typeof process, typeof require, typeof fetch, typeof setTimeout]; }"
    tests = (await bench.call("test-generator", code=reachable))["testCode"]
    assert '["undefined", "undefined", "undefined", "undefined"]' in tests


async def test_the_same_code_gives_the_same_tests(bench: Bench) -> None:
    """Nothing is drawn from chance."""
    first = await bench.call("test-generator", code=CLASSIFY)
    assert first == await bench.call("test-generator", code=CLASSIFY)


@pytest.mark.integration
@pytest.mark.nightly
async def test_jest_passes_the_generated_tests(bench: Bench, tmp_path: Path) -> None:
    """Unchanged, by the real Jest of npm."""
    folder = tmp_path / "jest"
    folder.mkdir()
    for name, code in (("classify", CLASSIFY), ("mixed", MIXED)):
        (folder / f"{name}.test.js").write_text((await bench.call("test-generator", code=code))["testCode"])
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on PATH")
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "jest@30"]
    if (await trio.run_process(install, capture_stdout=True, capture_stderr=True, check=False)).returncode != 0:
        pytest.skip("Jest cannot be installed: the npm registry is not reachable")
    jest = [str(folder / "node_modules" / ".bin" / "jest"), "--rootDir", str(folder)]
    environment = {**os.environ, "CI": "1"}
    result = await trio.run_process(jest, capture_stderr=True, check=False, cwd=folder, env=environment)
    assert result.returncode == 0, result.stderr.decode()
    assert b"2 passed, 2 total" in result.stderr
