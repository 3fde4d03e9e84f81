"""Layers, provenance, and what a wrong value says."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.keys import FIELDS, nearest_key
from orchestrator.configuration.layers import MAX_FILE_SIZE, environment_layer, file_layer, flag_layer
from orchestrator.configuration.model import AgentKeys, BuildKeys, Configuration, SteeringKeys
from orchestrator.configuration.other_fuzzers_keys import MedusaKeys, UnusedKeys
from orchestrator.configuration.resolve import Resolved, resolve
from orchestrator.configuration.types import allowed_text, listed
from orchestrator.report.formats import REPORT_FORMATS
from simulator.modes.table import listed_names

ECHIDNA_KEYS = """projectName testMode testLimit seqLen shrinkLimit stopOnFail timeout workers seed coverage corpusDir
        coverageDir coverageFormats coverageExcludes mutConsts dictFreq prefix psender sender deployer contractAddr
        balanceAddr balanceContract codeSize propMaxGas testMaxGas maxGasprice maxTimeDelay maxBlockDelay maxValue
        allContracts filterFunctions filterBlacklist excludeViewPure deployContracts deployBytecodes solcLibs solcArgs
        cryticArgs disableSlither testDestruction allowFFI allEvents quiet format server rpcUrl rpcBlock
        etherscanApiKey disableOnchainSources symExec symExecSMTSolver symExecTargets symExecTimeout symExecNSolvers
        symExecMaxIters symExecAskSMTIters symExecMaxExplore"""


def from_text(folder: Path, text: str) -> Resolved:
    file = folder / "echidna.yaml"
    file.write_text(text)
    return resolve([file_layer(file)])


def problem_of(folder: Path, text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        from_text(folder, text)
    return str(caught.value).removeprefix(f"{folder}/")


def test_each_layer_overrides_those_below_and_keeps_its_source(tmp_path: Path) -> None:
    """Defaults < file < environment < flags, each value with the place it comes from."""
    file = tmp_path / "a.yaml"
    file.write_text("seed: 1\nrpcUrl: http://file\nworkers: 2\n")
    resolved = resolve(
        [
            file_layer(file),
            environment_layer({"ECHIDNA_RPC_URL": "http://environment", "PATH": "/bin", "ETHERSCAN_API_KEY": ""}),
            flag_layer({"seed": ("--seed", "9"), "workers": ("--workers", None), "sender": ("--sender", ())}),
        ]
    )
    keys = resolved.configuration
    assert (keys.seed, keys.rpc_url, keys.workers, keys.sequence_length) == (9, "http://environment", 2, 100)
    assert keys.senders == (0x10000, 0x20000, 0x30000)
    sources = {key: resolved.sources[key] for key in ("seed", "rpcUrl", "workers", "seqLen", "sender")}
    assert sources == {
        "seed": "--seed",
        "rpcUrl": "ECHIDNA_RPC_URL",
        "workers": f"{file}:3",
        "seqLen": "default",
        "sender": "default",
    }


def test_null_in_a_file_means_the_default(tmp_path: Path) -> None:
    """As in Echidna, `seqLen: null` is like leaving the key out."""
    resolved = from_text(tmp_path, "seqLen: null\nsender: ~\n")
    assert resolved.configuration == Configuration(testMode="property")
    assert resolved.sources["seqLen"] == "default"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("seqlen", "seqLen"),
        ("testlimit", "testLimit"),
        ("filter_functions", "filterFunctions"),
        ("corpusdri", "corpusDir"),
    ],
)
def test_an_unknown_key_is_a_warning_that_names_the_nearest_one(tmp_path: Path, written: str, meant: str) -> None:
    """The campaign continues without the key, and the person learns what was probably meant, and where."""
    resolved = from_text(tmp_path, f"seed: 1\n{written}: 5\n")
    assert resolved.configuration == Configuration(seed=1, testMode="property")
    assert resolved.warnings == (f"{tmp_path}/echidna.yaml:2: {written}: unknown key, ignored; did you mean {meant}?",)


def test_an_unknown_key_without_a_neighbour_is_just_unknown(tmp_path: Path) -> None:
    """No far-fetched suggestion; control characters do not reach the terminal."""
    (warning,) = from_text(tmp_path, '"q\\e[31mz": 1\n').warnings
    assert warning.endswith("unknown key, ignored")
    assert "\x1b" not in warning


def test_a_removed_key_of_echidna_says_what_to_use(tmp_path: Path) -> None:
    """`checkAsserts` was Echidna's before testMode, and means it where that is not given."""
    resolved = from_text(tmp_path, "checkAsserts: true\n")
    assert resolved.configuration.test_mode == "assertion"
    assert resolved.warnings == (f"{tmp_path}/echidna.yaml:1: checkAsserts: read as testMode: assertion",)
    for text in ("checkAsserts: false\n", "checkAsserts: true\ntestMode: property\n"):
        resolved = from_text(tmp_path, text)
        assert resolved.configuration.test_mode == "property"
        assert "use `testMode: assertion`" in resolved.warnings[0]


def test_what_echidna_took_and_monotreme_does_not_is_named_in_a_warning(tmp_path: Path) -> None:
    """Traces without the calls that `allEvents` adds are not there; the campaign still runs."""
    resolved = from_text(tmp_path, "estimateGas: true\nallEvents: true\n")
    assert "no longer has an effect: gas is not estimated" in resolved.warnings[0]
    assert resolved.notes == (
        f"{tmp_path}/echidna.yaml:2: allEvents has no effect: Traces always show every call of a failing sequence.",
    )


def test_an_old_key_name_is_accepted(tmp_path: Path) -> None:
    """`multi-abi` is `allContracts`, also in messages; the new name wins when both are there."""
    assert from_text(tmp_path, "multi-abi: true\n").configuration.all_contracts
    assert not from_text(tmp_path, "multi-abi: true\nallContracts: false\n").configuration.all_contracts
    assert (
        problem_of(tmp_path, "seed: 1\nmulti-abi: 7\n") == "echidna.yaml:2: allContracts: got 7; expected true or false"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("seqLen: many", "echidna.yaml:1: seqLen: got 'many'; expected a whole number from 1 to 100000"),
        ('seqLen: "7"', "echidna.yaml:1: seqLen: got '7'; expected a whole number from 1 to 100000"),
        (
            "timeout: '5'",
            "echidna.yaml:1: timeout: got '5'; expected a number of seconds, more than 0, up to ten years",
        ),
        (
            "maxValue: '5'",
            "echidna.yaml:1: maxValue: got '5'; expected a whole number from 0 to 2^256-1, also as a 0x text",
        ),
        (
            "sender: ['5']",
            "echidna.yaml:1: sender[0]: got '5'; "
            "expected a list of at least one address of at most 20 bytes, each as a number or a 0x text",
        ),
        (
            f"psender: {2**160}",
            f"echidna.yaml:1: psender: got {2**160}; expected an address of at most 20 bytes, as a number or a 0x text",
        ),
        (
            "\nworkers: 0",
            "echidna.yaml:2: workers: got 0; expected a whole number from 1 to 255, or max for one for each core",
        ),
        ("testLimit: -1", "echidna.yaml:1: testLimit: got -1; expected a whole number from 0 to 2^63-1"),
        ("testLimit: true", "echidna.yaml:1: testLimit: got True; expected a whole number from 0 to 2^63-1"),
        ("coverage: 1", "echidna.yaml:1: coverage: got 1; expected true or false"),
        ("dictFreq: 1.1", "echidna.yaml:1: dictFreq: got 1.1; expected a number from 0 to 1"),
        ("timeout: 0", "echidna.yaml:1: timeout: got 0; expected a number of seconds, more than 0, up to ten years"),
        (
            f"maxValue: {2**256}",
            f"echidna.yaml:1: maxValue: got {str(2**256)[:57]}...; "
            "expected a whole number from 0 to 2^256-1, also as a 0x text",
        ),
        (
            "testMode: magic",
            f"echidna.yaml:1: testMode: got 'magic'; expected {listed_names()}",
        ),
        ("format: xml", f"echidna.yaml:1: format: got 'xml'; expected {listed(REPORT_FORMATS, 'or')}"),
        (
            "sender:\n  - 0x10000\n  - nobody\n",
            "echidna.yaml:3: sender[1]: got 'nobody'; "
            "expected a list of at least one address of at most 20 bytes, each as a number or a 0x text",
        ),
        (
            "mutConsts: [1, 2, 3]",
            "echidna.yaml:1: mutConsts: got [1, 2, 3]; expected a list of four whole numbers, each from 0 to 1000000",
        ),
        (
            "contractAddr: 0x1",
            "echidna.yaml:1: contractAddr: got 1; "
            "expected an address of at most 20 bytes that is no precompile's (0x0 to 0x11, 0x100)",
        ),
        ("filterFunctions: A.f()", "echidna.yaml:1: filterFunctions: got 'A.f()'; expected a list of texts"),
        ("prefix: 5", "echidna.yaml:1: prefix: got 5; expected a text"),
        ("seed: {a: 1}", "echidna.yaml:1: seed: got {'a': 1}; expected a whole number from 0 to 2^63-1"),
        (
            "solcArgs: '\"open'",
            "echidna.yaml:1: solcArgs: got '\"open'; expected one text of arguments, with quotes closed as in a shell",
        ),
        (
            "filterBlacklist: false",
            "filterBlacklist is false, so filterFunctions must name at least one function to call",
        ),
    ],
)
def test_a_wrong_value_names_file_line_key_and_what_is_allowed(tmp_path: Path, text: str, problem: str) -> None:
    """One line tells where, what was found and what would be right."""
    assert problem_of(tmp_path, text) == problem


def test_all_wrong_keys_are_reported_at_once(tmp_path: Path) -> None:
    """Nobody has to fix a file one error at a time; a key with two bad items counts once."""
    with pytest.raises(ConfigurationError) as caught:
        from_text(tmp_path, "seqLen: x\nsender: [a, b]\nworkers: y\n")
    assert len(caught.value.problems) == 3


def test_a_wrong_key_is_reported_together_with_wrong_values(tmp_path: Path) -> None:
    """Also one that only a flag may set: a file is corrected in one go."""
    with pytest.raises(ConfigurationError) as caught:
        from_text(tmp_path, "testlimit: 1\nseqLen: x\ntrustProject: true\n")
    assert [problem.split(": ")[1:3] for problem in caught.value.problems] == [
        ["seqLen", "got 'x'; expected a whole number from 1 to 100000"],
        ["trustProject", "only a flag may say this"],
        ["testlimit", "unknown key, ignored; did you mean testLimit?"],
    ]


def test_a_wrong_value_is_an_error_also_where_a_flag_hides_it(tmp_path: Path) -> None:
    """A file is right or wrong by itself; what concerns several keys is judged on the whole."""
    file = tmp_path / "a.yaml"
    file.write_text("seqLen: many\nworkers: 1\n")
    with pytest.raises(ConfigurationError) as caught:
        resolve([file_layer(file), flag_layer({"seqLen": ("--seq-len", "5"), "seed": ("--seed", "x")})])
    assert [problem.split(";")[0] for problem in caught.value.problems] == [
        f"{file}:1: seqLen: got 'many'",
        "--seed: got 'x'",
    ]
    file.write_text("filterBlacklist: false\n")
    filtered = resolve([file_layer(file), flag_layer({"filterFunctions": ("--filter", ("A.f()",))})])
    assert filtered.configuration.filter_functions == ("A.f()",)


def test_numbers_of_a_file_may_be_written_as_people_do(tmp_path: Path) -> None:
    """Scientific and hexadecimal; amounts and addresses also as 0x texts."""
    text = "testLimit: 1e6\nmaxValue: '0xff'\nsender: ['0x1', 0x2, 3]\ndictFreq: 5e-1\ntimeout: 1e2\n"
    keys = from_text(tmp_path, text).configuration
    assert (keys.test_limit, keys.max_value, keys.senders) == (10**6, 0xFF, (1, 2, 3))
    assert (keys.dictionary_frequency, keys.timeout) == (0.5, 100.0)


def test_a_wrong_flag_is_named_as_the_person_wrote_it() -> None:
    """The flag stands in for file and key."""
    with pytest.raises(ConfigurationError, match=r"^--seed: got 'abc'; expected a whole number"):
        resolve([flag_layer({"seed": ("--seed", "abc")})])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"- 1\n", "expected keys with values"),
        (b"a: [\n", ":2: not YAML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"#" * (MAX_FILE_SIZE + 1), "larger than"),
    ],
)
def test_a_file_that_is_no_configuration_is_an_error(tmp_path: Path, content: bytes, message: str) -> None:
    """Other shapes, broken syntax, other encodings and huge files are told apart."""
    file = tmp_path / "bad.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        file_layer(file)


def test_a_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    """So is a folder in its place."""
    with pytest.raises(ConfigurationError, match=r"nope\.yaml: cannot be read: No such file"):
        file_layer(tmp_path / "nope.yaml")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        file_layer(tmp_path)


def test_an_empty_file_means_echidnas_defaults(tmp_path: Path) -> None:
    """Comments only, or nothing at all, leave all defaults; the mode is Echidna's and not chosen by the contract."""
    assert from_text(tmp_path, "# nothing\n").configuration == Configuration(testMode="property")


def test_keys_without_effect_are_noted_once_each_when_they_would_matter(tmp_path: Path) -> None:
    """symExec: true is worth a note, disableSlither: false and defaults are not."""
    resolved = from_text(tmp_path, "symExec: true\ndisableSlither: false\nsymExecTimeout: 30\ncryticArgs: [--x]\n")
    assert [note.split(":", 2)[2] for note in resolved.notes] == [
        " symExec has no effect: There is no symbolic worker.",
        " cryticArgs: --x has no effect: crytic-compile is not used",
    ]


def test_every_key_of_echidna_is_known() -> None:
    """The list of Echidna 2.3.3."""
    names = ECHIDNA_KEYS.split()
    assert set(names) <= set(FIELDS)
    own = set(FIELDS) - set(names)
    groups = (SteeringKeys, AgentKeys, BuildKeys, MedusaKeys)
    added = {info.alias for group in groups for info in group.model_fields.values()}
    named = {
        *("executor", "rayAddress", "contract", "initialize", "target", "corpusFormat"),
        *("verifyExports", "require", "seedTests", "seedSequences", "clamps"),
    }
    compilation = {
        "solcPath",
        "solcVersion",
        "trustProject",
        "allowPaths",
        "constructorValues",
        "exclude",
        "fetchVyper",
    }
    assert own == named | compilation | added


@pytest.mark.parametrize("key", FIELDS)
def test_every_key_says_what_it_allows_and_what_it_means(key: str) -> None:
    """No error message and no reference entry is left empty."""
    info = Configuration.model_fields[FIELDS[key]]
    assert allowed_text(info.rebuild_annotation())
    assert info.description
    assert nearest_key(key) == key


def test_unused_keys_cannot_reach_the_settings() -> None:
    """A key without effect is in no other group, so that its note is true."""
    assert len(Configuration.model_fields) == len(FIELDS)
    assert set(UnusedKeys.model_fields) < set(Configuration.model_fields)


def test_a_bad_secret_is_not_repeated(tmp_path: Path) -> None:
    """A list of URLs where a text belongs is refused without its keys."""
    file = tmp_path / "echidna.yaml"
    file.write_text("rpcUrl: [https://node/topsecret]\netherscanApiKey: [topsecret]\n")
    with pytest.raises(ConfigurationError) as caught:
        resolve([file_layer(file)])
    assert "rpcUrl: got something else; expected http:// or https:// URLs" in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_a_url_of_another_form_is_refused_before_anything_is_compiled() -> None:
    """The key is wrong input, and its value is not repeated."""
    with pytest.raises(ConfigurationError) as caught:
        resolve([environment_layer({"ECHIDNA_RPC_URL": "wss://node/topsecret"})])
    assert "ECHIDNA_RPC_URL: rpcUrl: got something else; expected http:// or https:// URLs" in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_a_block_without_a_url_is_noted() -> None:
    """It forks nothing."""
    layer = environment_layer({"ECHIDNA_RPC_BLOCK": "5"})
    assert resolve([layer]).notes == ("ECHIDNA_RPC_BLOCK: rpcBlock has no effect: there is no rpcUrl.",)
    assert resolve([layer, environment_layer({"ECHIDNA_RPC_URL": "http://x"})]).notes == ()
