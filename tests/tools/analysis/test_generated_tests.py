"""Generated Jest tests: what they expect was observed, and what they cover was counted."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import trio

from tests.tools.analysis.conftest import Bench

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
CLASSES = """
#!/usr/bin/env node
export class Counter {
  #count;
  constructor(start = 0) { this.#count = start; }
  increment(by = 1) { this.#count += by; return this.#count; }
  get value() { return this.#count; }
  static of(count) { return new Counter(count).value; }
  *items() { yield this.#count; yield this.#count + 1; }
}
export function* naturals() { let n = 0; while (true) yield n++; }
export function self() { return this; }
""".lstrip()
COMMON_JS = """
exports.add = (a, b) => a + b;
exports.default = function (a) { return a; };
module.exports.delete = function (list, at) { return list.filter((_, number) => number !== at); };
"""
VALUES = """
const values = () => [NaN, -0, undefined, 2n ** 70n, /a\\/b/g, new Uint8Array([1]), new Date(0), [1,,3]];
const hostile = () => JSON.parse('{"__proto__": {"x": 1}, "\u2028": "`${1}`"}');
const circular = () => { const made = {}; made.self = made; return made; };
const trap = () => new Proxy({}, { ownKeys() { throw new Error("trap"); } });
function load(a) { return a + 1; }
function expect(a) { return a + 2; }
"""
UNRELIABLE = {
    "roll": ("Math.random() < 2", "it depends on Math.random"),
    "year": ("new Date().getFullYear()", "it depends on the clock"),
    "hour": ("new Date(0).getHours()", "its results differ each time"),
    "format": ("(1.5).toLocaleString()", "it depends on the language of the machine"),
    "late": ("setTimeout(() => 1)", "it depends on setTimeout"),
    "leave": ("process.exit(3)", "it depends on process"),
    "evaluate": ("eval('1')", "it makes code from strings"),
    "pollute": ("Object.prototype.hacked = 1", "it depends on changed globals"),
    "spin": ("(() => { while (true) {} })()", "it takes too long"),
    "recurse": ("recurse()", "it recurses too deeply"),
}


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


async def test_what_a_test_could_not_rely_on_is_not_expected(bench: Bench) -> None:
    """Chance, clocks, time zones, languages, what Node adds, changed globals, endless loops: each with its reason."""
    code = "".join(f"function {name}() {{ return {body}; }}\n" for name, (body, _) in UNRELIABLE.items())
    tests = (await bench.call("test-generator", code=f"{code}const one = () => 1;"))["testCode"]
    assert 'describe("one"' in tests
    for name, (_, reason) in UNRELIABLE.items():
        assert f"// No test for {name}: {reason}." in tests
        assert f'describe("{name}"' not in tests


async def test_methods_and_generators_are_called(bench: Bench) -> None:
    """On a new object of their class; of a generator that continues, the first items. ES modules are strict."""
    tests = (await bench.call("test-generator", code=CLASSES))["testCode"]
    for wanted in (
        "expect(new Counter(2).increment(2)).toBe(4);",
        "expect(new Counter(2).value).toBe(2);",
        "expect(Counter.of(2)).toBe(2);",
        "expect([...new Counter(2).items()]).toEqual([2, 3]);",
        "const wanted = [0, 1, 2, 3, 4];",
        "expect(self()).toBe(undefined);",
    ):
        assert wanted in tests


async def test_what_common_js_exports_is_found(bench: Bench) -> None:
    """Whatever form the assignment has; reserved words and names that a test file needs get another name."""
    tests = (await bench.call("test-generator", code=COMMON_JS))["testCode"]
    assert "const { add } = load();" in tests
    assert "const { default: defaultFunction } = load();" in tests
    assert "expect(deleteFunction([1, 2, 3], 2)).toEqual([1, 2]);" in tests
    assert "const { load: loadFunction } = load();" in (await bench.call("test-generator", code=VALUES))["testCode"]


async def test_values_without_a_literal_are_judged_by_their_type(bench: Bench) -> None:
    """Circular ones and proxies; a key that would set the prototype does not."""
    tests = (await bench.call("test-generator", code=VALUES))["testCode"]
    assert 'expect(typeof circular()).toBe("object");' in tests
    assert 'expect(typeof trap()).toBe("object");' in tests
    assert '{["__proto__"]: {"x": 1}' in tests
    assert 'NaN, -0, undefined, 1180591620717411303424n, new RegExp("a' in tests


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
    hidden = await bench.call("test-generator", code=reachable)
    assert "globals: it depends on process, require, fetch, setTimeout" in hidden["error"]


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
    for name, code in (
        ("classify", CLASSIFY),
        ("mixed", MIXED),
        ("classes", CLASSES),
        ("common", COMMON_JS),
        ("values", VALUES),
    ):
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
    assert b"5 passed, 5 total" in result.stderr
