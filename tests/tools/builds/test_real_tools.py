"""The real npm, pnpm, bun, eslint and forge on projects made here. What is not on this machine or cannot be fetched
from the npm registry is skipped with the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from simulator.compile import CompileOptions, run_process
from simulator.compile.solc.providers import CompilerChoice
from simulator.errors import CompileError
from tests.support.build_bench import BuildBench, make_bench
from tests.support.patience import PATIENCE

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm on PATH"),
]
IMPOSSIBLE = '{"name":"app","version":"1.0.0","dependencies":{"left-pad":"99.0.0"}}'
POSSIBLE = '{"name":"app","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}}'
SOLC = (0, 8, 30)
WRAPPER = """#!{python}
import os, sys
if "--version" in sys.argv:
    print("solc, the solidity compiler commandline interface\\nVersion: {version}")
else:
    command = {command!r}
    os.execv(command[0], command)
"""


@pytest.fixture(scope="module")
def npm_registry() -> None:
    """Skips where the registry does not answer."""
    command = ["npm", "view", "left-pad", "version", "--fetch-retries=0"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if result.returncode:
        pytest.skip(f"the npm registry does not answer: {result.stderr.strip()[-200:]}")


@pytest.fixture(scope="module")
def fetched(npm_registry: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """`node_modules` with pnpm, bun and eslint from the npm registry."""
    folder = tmp_path_factory.mktemp("fetched")
    (folder / "package.json").write_text('{"name":"fetched","private":true}')
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "pnpm@10", "bun@1", "eslint@9"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    if result.returncode:
        pytest.skip(f"the npm registry gives no pnpm, bun and eslint: {result.stderr.strip()[-200:]}")
    yield folder / "node_modules"
    shutil.rmtree(folder)


def link(bench: BuildBench, program: Path) -> None:
    (bench.programs / program.name).symlink_to(program)


@pytest.mark.requirement("003-1", "003-11")
async def test_npm_tells_a_version_that_does_not_exist(npm_registry: None, bench: BuildBench) -> None:
    """One error with npm's code; the raw log has all of it."""
    bench.file("package.json", IMPOSSIBLE)
    answer = await bench.call("npm_install", confirmed=True)
    assert not answer["success"]
    (error,) = answer["errors"]
    assert (error["tool"], error["code"]) == ("npm.install", "ETARGET")
    assert error["message"].startswith("No matching version found for left-pad@99.0.0")
    raw = await bench.call("run_raw", runId=answer["runId"])
    assert "npm error code ETARGET" in raw["data"]


@pytest.mark.nightly
async def test_the_three_installers_install_and_fail(bench: BuildBench, fetched: Path) -> None:
    """Each brings a package into the project, and says why it cannot bring another."""
    link(bench, fetched / ".bin" / "pnpm")
    (program,) = (fetched / "@oven").glob("bun-*/bin/bun")
    link(bench, program)
    for tool, said in (("npm", "99.0.0"), ("pnpm", "99.0.0"), ("bun", "99.0.0")):
        for content in (POSSIBLE, IMPOSSIBLE):
            shutil.rmtree(bench.project)
            bench.file("package.json", content)
            answer = await bench.call(f"{tool}_install", confirmed=True)
            assert answer["success"] is (content is POSSIBLE), answer
            assert (bench.project / "node_modules" / "left-pad").exists() is answer["success"]
        assert any(said in error["message"] for error in answer["errors"])


@pytest.mark.nightly
@pytest.mark.requirement("003-12")
async def test_eslint_of_the_project_lints_modules(bench: BuildBench, fetched: Path) -> None:
    """Found in `node_modules/.bin`; an ESM project with errors and warnings, one with warnings only, a syntax error,
    and no configuration at all."""
    (bench.project / "node_modules").symlink_to(fetched)
    bench.file("package.json", '{"name":"app","type":"module"}')
    assert (await bench.call("eslint_lint"))["errors"][0]["code"] == "COMMAND_NOT_FOUND", (
        "a link leads out of the roots"
    )
    (bench.project / "node_modules").unlink()
    shutil.copytree(fetched, bench.project / "node_modules", symlinks=True)
    answer = await bench.call("eslint_lint", args=["src"])
    assert [each["code"] for each in answer["errors"]] == ["FATAL"]
    bench.file("eslint.config.js", 'export default [{ rules: { "no-undef": "error", "no-unused-vars": "warn" } }];')
    bench.file("src/a.js", "export const a = b;\nconst unused = 1;\n")
    answer = await bench.call("eslint_lint", args=["src"])
    assert not answer["success"]
    (error,), (warning,) = answer["errors"], answer["warnings"]
    assert (error["code"], error["file"], error["line"], error["column"]) == ("no-undef", "src/a.js", 1, 18)
    assert (warning["code"], warning["line"]) == ("no-unused-vars", 2)
    assert error["logRange"] == {"startLine": 0, "endLine": 0}
    bench.file("src/a.js", "const unused = 1;\n")
    answer = await bench.call("eslint_lint", args=["src"])
    assert answer["success"]
    assert len(answer["warnings"]) == 1
    bench.file("src/a.js", "const = ;\n")
    (error,) = (await bench.call("eslint_lint", args=["src"]))["errors"]
    assert (error["message"], error["line"], error["column"]) == ("Parsing error: Unexpected token =", 1, 7)


NODE_TESTS = """\
const test = require('node:test');
test('good', () => {});
test('bad', () => { throw new Error('as planted'); });
"""


@pytest.mark.requirement("003-4")
async def test_npm_test_with_nodes_own_runner(bench: BuildBench) -> None:
    """A failed test with its reason and place, and the counts."""
    bench.file("package.json", '{"name":"app","scripts":{"test":"node --test"}}')
    bench.file("a.test.js", NODE_TESTS)
    answer = await bench.call("npm_test")
    assert not answer["success"]
    assert answer["summary"] == {"passed": 1, "failed": 1, "skipped": 0, "total": 2}
    (error,) = answer["errors"]
    assert error["message"].startswith("bad: ")
    assert "as planted" in error["message"]
    assert (error["file"], error["line"]) == ("a.test.js", 3)


@pytest.mark.requirement("003-4", "003-10")
async def test_pytest_with_a_failure(bench: BuildBench) -> None:
    """The file and the line that raised, the traceback in the log."""
    bench.program("pytest", "import sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))")
    bench.file("test_a.py", "def helper():\n    raise ValueError('as planted')\n\n\ndef test_bad():\n    helper()\n")
    answer = await bench.call("pytest_run")
    (error,) = answer["errors"]
    assert (error["file"], error["line"], error["code"]) == ("test_a.py", 2, "TestFailure")
    assert error["message"] == "test_a.py::test_bad: ValueError: as planted"
    assert answer["summary"] == {"passed": 0, "failed": 1, "skipped": 0, "total": 1}
    first = error["logRange"]["startLine"]
    page = await bench.call("run_logRange", runId=answer["runId"], startLine=first, lineCount=6)
    assert "test_a.py:6: in test_bad" in page["lines"]


def find_forge() -> Path | None:
    named = os.environ.get("FORGE") or shutil.which("forge")
    return Path(named) if named else None


def solc_for_forge(folder: Path) -> Path:
    """A native compiler, else npm's behind a program that answers like one."""
    try:
        compiler = CompilerChoice(CompileOptions(), run_process, lambda _: None).find(SOLC)
    except CompileError as error:
        pytest.skip(f"no Solidity compiler: {error}")
    if compiler.command[1:] == ("--standard-json",):
        return Path(compiler.command[0])
    file = folder / "solc"
    version = ".".join(map(str, compiler.version))
    file.write_text(WRAPPER.format(python=sys.executable, version=version, command=list(compiler.command)))
    file.chmod(0o755)
    return file


@pytest.mark.skipif(find_forge() is None, reason="needs forge on PATH or at FORGE")
@pytest.mark.requirement("003-4", "003-11", "003-12")
async def test_forge_builds_and_tests_a_project(tmp_path: Path, nursery: trio.Nursery) -> None:
    """Warnings only, a failing test with its line, a failing fuzz test, and a source that does not compile."""
    bench = await make_bench(tmp_path, nursery)
    forge = find_forge()
    assert forge is not None
    (bench.programs / "forge").symlink_to(forge)
    bench.file("foundry.toml", f'[profile.default]\nsolc = "{solc_for_forge(tmp_path)}"\noffline = true\n')
    source = "pragma solidity ^0.8.0;\ncontract A {\n  uint256 public x;\n  function set(uint256 v) public {\n"
    bench.file("src/A.sol", source + "    uint256 unused;\n    x = v;\n    require(v != 7, 'seven');\n  }\n}\n")
    bench.file(
        "test/A.t.sol",
        'pragma solidity ^0.8.0;\nimport "../src/A.sol";\ncontract ATest {\n  A a = new A();\n'
        "  function test_good() public { a.set(1); }\n  function test_seven() public { a.set(7); }\n"
        "  function testFuzz_small(uint256 v) public { require(v < 9, 'big'); }\n}\n",
    )
    built = await bench.call("forge_build")
    assert built["success"], built
    assert ("src/A.sol", 5, "2072") in [(each["file"], each["line"], each["code"]) for each in built["warnings"]]
    tested = await bench.call("forge_test")
    assert not tested["success"]
    assert tested["summary"] == {"passed": 1, "failed": 2, "skipped": 0, "total": 3}
    failures = {each["message"].partition(":")[0]: each for each in tested["errors"]}
    assert failures["ATest.test_seven()"]["message"].endswith("seven")
    assert (failures["ATest.test_seven()"]["file"], failures["ATest.test_seven()"]["line"]) == ("test/A.t.sol", 6)
    assert "counterexample" in failures["ATest.testFuzz_small(uint256)"]["message"]
    traced = await bench.call("forge_test", args=["-vvv"])
    assert {each["message"].partition(":")[0] for each in traced["errors"]} == set(failures)
    assert traced["summary"] == tested["summary"]
    place = next(each for each in traced["errors"] if "test_seven" in each["message"])["logRange"]
    count = place["endLine"] - place["startLine"] + 1
    page = await bench.call("run_logRange", runId=traced["runId"], startLine=place["startLine"], lineCount=count)
    assert "A::set(7)" in "".join(page["lines"])
    bench.file("src/A.sol", source + "    x = w;\n  }\n}\n")
    for tool in ("forge_build", "forge_test"):
        broken = await bench.call(tool)
        assert not broken["success"]
        (error,) = broken["errors"]
        assert (error["code"], error["file"], error["line"], error["column"]) == ("7576", "src/A.sol", 5, 9)
        lines = await bench.call(
            "run_logRange", runId=broken["runId"], startLine=error["logRange"]["startLine"], lineCount=2
        )
        assert lines["lines"][0].startswith("Error (7576): Undeclared identifier.")
