"""Settings of tests in `foundry.toml` and in lines of sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.assembly.foundry_world import in_foundry_world, with_foundry_seed
from orchestrator.configuration.decide import make_request
from orchestrator.configuration.model import Configuration
from simulator.compile.projects.foundry_test_config import read_test_config
from simulator.errors import CompileError
from simulator.modes.world import FOUNDRY_SENDER
from simulator.project import Project, SourceFile, Unit
from simulator.settings import CampaignSettings
from tests.orchestrator.configuration.test_request import PIPE


def project(folder: Path, text: str = "", source: str = "") -> Project:
    (folder / "foundry.toml").write_text(text)
    unit = Unit("0.8.30", "cancun", (SourceFile(0, "A.sol", source),), ())
    return Project.in_folder(folder, (unit,))


def test_sections_and_profiles_are_laid_over_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
[profile.default]
block_timestamp = 5
[profile.default.invariant]
depth = 7
fail_on_revert = true
[invariant]
depth = 8
[profile.ci]
block-number = "0x10"
[profile.ci.fuzz]
runs = 9
"""
    plain = read_test_config(project(tmp_path, text))
    assert plain.numbers == {"block_timestamp": 5, "invariant.depth": 8}
    assert plain.tests.fail_on_revert
    monkeypatch.setenv("FOUNDRY_PROFILE", "ci")
    assert read_test_config(project(tmp_path, text)).numbers == {**plain.numbers, "block_number": 16, "fuzz.runs": 9}


def test_variables_of_the_user_stand_above_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDRY_INVARIANT_FAIL_ON_REVERT", "true")
    monkeypatch.setenv("FOUNDRY_CHAIN_ID", "9")
    found = read_test_config(project(tmp_path, "[profile.default]\nchain_id = 5\n"))
    assert (found.numbers["chain_id"], found.tests.fail_on_revert) == (9, True)


def test_without_a_file_all_is_forges_default(tmp_path: Path) -> None:
    found = read_test_config(Project.in_folder(tmp_path, ()))
    assert (found.numbers, found.tests.fail_on_revert, found.tests.ignored) == ({}, False, ())


@pytest.mark.parametrize("text", ["[profile.default]\nchain_id = 'x'", "[fuzz]\nruns = -1", "= 1"])
def test_what_is_malformed_names_file_and_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(CompileError, match=r"foundry\.toml: "):
        read_test_config(project(tmp_path, text))


STRICT = "forge-config: default.invariant.fail-on-revert = true"
LENIENT = "forge-config: default.invariant.fail_on_revert = false"


def test_lines_above_contracts_and_functions_decide_on_reverts(tmp_path: Path) -> None:
    """Those above a function go before those above its contract. Both count for that contract alone, as in forge: not
    for one that inherits from it, nor for functions of the same name elsewhere."""
    source = f"""
/// {STRICT}
contract A {{
    /// {LENIENT}
    function invariant_a() public {{}}
    /// forge-config: default.invariant.runs = 5
    function invariant_b() public {{ require(true, "a contract of text"); }}
    /// {LENIENT}
    function invariant_c() public {{}}
}}
contract B is A {{ function invariant_a() public {{}} }}
"""
    tests = read_test_config(project(tmp_path, source=source)).tests
    assert (tests.strict, tests.lenient) == (("A.sol:A",), ("A.sol:A.invariant_a", "A.sol:A.invariant_c"))
    assert not tests.is_strict("A.sol:A", "invariant_a")
    assert tests.is_strict("A.sol:A", "invariant_b")
    assert not tests.is_strict("A.sol:B", "invariant_b")
    assert not tests.is_strict("B.sol:A", "invariant_b")


@pytest.mark.parametrize(
    ("comment", "profile", "counts"),
    [
        (f"/// {STRICT}", "", True),
        (f"/** @dev x\n  * {STRICT}\n  */", "", True),
        (f"// {STRICT}", "", False),
        (f"/* {STRICT} */", "", False),
        (f"/// {STRICT.replace('default', 'ci')}", "", False),
        (f"/// {STRICT.replace('default', 'ci')}", "ci", True),
        (f"/// {STRICT}", "ci", True),
        (f"/// {STRICT.replace('default', 'ci')}\n/// {LENIENT}", "ci", True),
        (f"/// {STRICT}\n/// {LENIENT.replace('default', 'ci')}", "ci", False),
    ],
)
def test_only_documentation_for_the_chosen_profile_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comment: str, profile: str, counts: bool
) -> None:
    """What is said for the default profile holds for every other one that says nothing else."""
    monkeypatch.setenv("FOUNDRY_PROFILE", profile)
    source = f"contract A {{\n{comment}\n  function invariant_a() public {{}} }}"
    assert read_test_config(project(tmp_path, source=source)).tests.is_strict("A.sol:A", "invariant_a") == counts


def test_numbers_of_documentation_hold_for_what_follows_it(tmp_path: Path) -> None:
    """As in forge: other comments say nothing, and neither does what is said for another profile."""
    source = """
/// forge-config: default.invariant.depth = 9
abstract contract A {
    /** forge-config: default.fuzz.runs = 3 */
    function testFuzz_a(uint256) public {}
    /**
     * forge-config: default.fuzz.max-test-rejects = 4
     * what this function is for
     */
    function testFuzz_b(uint256) public {}
    // forge-config: default.fuzz.runs = 5
    /* forge-config: default.fuzz.runs = 6 */
    /// forge-config: ci.fuzz.runs = 7
    function testFuzz_c(uint256) public {}
}
"""
    tests = read_test_config(project(tmp_path, source=source)).tests
    assert tests.inline == (
        ("A.sol:A", "invariant.depth", 9),
        ("A.sol:A.testFuzz_a", "fuzz.runs", 3),
        ("A.sol:A.testFuzz_b", "fuzz.max_test_rejects", 4),
    )
    assert tests.number("invariant.depth", "A.sol:A", "invariant_x", 500) == 9
    assert tests.number("fuzz.runs", "A.sol:A", "testFuzz_c", 256) == 256


def test_what_has_no_effect_is_said_only_where_it_would_matter(tmp_path: Path) -> None:
    text = "[profile.default]\nlegacy_assertions = true\nisolate = false\n[invariant]\ncall_override = true\n"
    ignored = read_test_config(project(tmp_path, text)).tests.ignored
    assert [each.split(": ")[1] for each in ignored] == ["legacy_assertions", "invariant.call_override"]


def test_lines_of_documentation_without_an_effect_are_said_once_for_each_key(tmp_path: Path) -> None:
    """With the first place, and not where they say what holds anyway."""
    source = """
/// forge-config: default.isolate = true
/// forge-config: default.evm_version = "cancun"
contract A {
    /// forge-config: default.isolate = true
    /// forge-config: default.evm_version = "shanghai"
    function test_a() public {}
    /// forge-config: default.isolate = false
    /// forge-config: default.invariant.call-override = true
    /// forge-config: default.fuzz.seed = 5
    /// forge-config: ci.legacy_assertions = true
    function invariant_a() public {}
}
"""
    assert read_test_config(project(tmp_path, source=source)).tests.ignored == (
        "A.sol:A and 1 more: forge-config: isolate: a test is one transaction",
        "A.sol:A.test_a: forge-config: evm_version: all tests run under the rules of the project",
        "A.sol:A.invariant_a: forge-config: invariant.call_override: calls are not overridden",
        "A.sol:A.invariant_a: forge-config: fuzz.seed: what foundry.toml says holds for all tests",
    )


def test_assertions_revert_unless_the_project_says_otherwise(tmp_path: Path) -> None:
    assert read_test_config(project(tmp_path)).tests.assertions_revert
    text = "[profile.default]\nassertions_revert = false\n"
    assert not read_test_config(project(tmp_path, text)).tests.assertions_revert


def test_the_seed_of_the_project_is_taken_where_no_person_names_one(tmp_path: Path) -> None:
    compiled = project(tmp_path, "[fuzz]\nseed = '0x12'\n")
    plain, named = (
        make_request([tmp_path], Configuration.model_validate({"testMode": "foundry", **keys}), PIPE)
        for keys in ({}, {"seed": 7})
    )
    settings = plain.settings("A.sol:A")
    assert with_foundry_seed(plain, settings, compiled).seed == 0x12
    assert with_foundry_seed(named, settings, compiled).seed == 7
    assert with_foundry_seed(plain, CampaignSettings(), compiled) == plain


def test_the_project_decides_where_no_person_has(tmp_path: Path) -> None:
    """Flags stand above the file, and other modes do not read it."""
    compiled = project(tmp_path, "[profile.default]\nchain_id = 5\nsender = '0x7'\n[invariant]\ndepth = 3\n")
    keys = Configuration.model_validate({"testMode": "foundry", "seqLen": 4})
    request = make_request([tmp_path], keys, PIPE)
    settings = in_foundry_world(request.settings("A.sol:A"), request, compiled)
    assert (settings.block.chain_id, settings.deployer[-1], settings.sequence_length) == (5, 7, 4)
    assert settings.property_sender == FOUNDRY_SENDER
    untouched = in_foundry_world(CampaignSettings(), make_request([tmp_path], Configuration(), PIPE), compiled)
    assert untouched == CampaignSettings()


def test_tests_that_run_no_time_are_told_apart(tmp_path: Path) -> None:
    """By the project's numbers, and by lines above a function, which go before them."""
    text = "[profile.default]\n[fuzz]\nruns = 0\n[invariant]\ndepth = 0\n"
    source = """
contract A {
    /// forge-config: default.fuzz.runs = 1
    function testFuzz_a(uint256) public {}
    /// forge-config: default.invariant.depth = 3
    function invariant_a() public {}
    /// forge-config: default.invariant.depth = 3
    /// forge-config: default.invariant.runs = 0
    function invariant_b() public {}
}
"""
    tests = read_test_config(project(tmp_path, text, source=source)).tests
    assert [tests.is_fuzzed("A.sol:A", name) for name in ("testFuzz_a", "testFuzz_b")] == [True, False]
    assert [tests.is_followed("A.sol:A", f"invariant_{name}") for name in "abc"] == [True, False, False]
