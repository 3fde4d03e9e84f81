"""Configurations in JavaScript and TypeScript are read, not run; what only running them would tell is marked."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.compile.projects.javascript_config import (
    MAX_DEPTH,
    ConfigurationSyntaxError,
    Unread,
    read_configuration,
)


def read(source: str, **variables: str) -> Any:
    return read_configuration(source, variables.get)


@pytest.mark.parametrize(
    "source",
    [
        'module.exports = { solidity: "0.8.20" }',
        'module.exports = exports = { "solidity": `0.8.20` };',
        'export default { ["solidity"]: "0.8.20" }',
        'const config: HardhatUserConfig = { solidity: "0.8.20" };\nexport default config',
        'import { x } from "y"\nconst v = "0.8.20"\nexport default defineConfig({ solidity: v })',
        'const config = {} as Config; config.solidity = "0.8.20"; module.exports = config;',
        'module.exports = {}; module.exports.solidity = "0.8.20";',
        'const base = { solidity: "0.8.20" }; module.exports = { ...base } satisfies Config;',
        'const solidity = "0.8.20"; export default { solidity };',
        'const V = { new: "0.8.20" }; export = { solidity: V.new };',
        'const all = ["0.7.6", "0.8.20"]; export default { solidity: all[1] };',
        'export default { solidity: process.env.SOLC || "0.8.20" }',
        'export default { solidity: process.env.SOLC ?? "0.8." + "20" }',
        '// module.exports = 1\n/* {{{ */ const r = /}{"/g; task("x", async () => { y(`}${"`"}`) });'
        'module.exports = Object.freeze({ solidity: "0.8.20" })',
        'const m: Record<string, () => void> = {}; export default { solidity: (1 > 2 ? "1" : "0.8.20")! }',
    ],
)
def test_the_same_configuration_is_read_in_every_dress(source: str) -> None:
    assert read(source)["solidity"] == "0.8.20"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1_000", 1000),
        ("0x10", 16),
        ("12e6", 12_000_000),
        ("2 ** 3 - 1 * 2", 6),
        ("-1.5", -1.5),
        ("parseInt('200', 10)", 200),
        ("!false", True),
        ("null", None),
        ("[1, ...[2, 3],]", [1, 2, 3]),
        ("'it\\'s\\n'", "it's\n"),
        ("process.env.RUNS", "7"),
        ("{ a() { return 1 }, get b() { return 2 }, c: function () {}, d: 4 }.d", 4),
    ],
)
def test_values_are_those_of_the_language(text: str, value: Any) -> None:
    assert read(f"module.exports = {{ value: {text} }}", RUNS="7")["value"] == value


@pytest.mark.parametrize(
    "text", ["load()", "await x", "require('./a.json').b", "`${a}`", "x => x", "unknown", "new X()"]
)
def test_what_only_running_would_tell_is_marked_and_the_rest_is_read(text: str) -> None:
    found = read(f"module.exports = {{ a: {text}, b: 2 }}")
    assert isinstance(found["a"], Unread)
    assert found["b"] == 2


@pytest.mark.parametrize("source", ["", "const a = 1", "module.exports = " + "[" * (MAX_DEPTH + 1), "((((((", "`${"])
def test_a_file_that_is_none_is_an_error(source: str) -> None:
    with pytest.raises(ConfigurationSyntaxError):
        read(source)


def test_cut_off_files_end_the_reading() -> None:
    """Every beginning of a file gives a value or the one error."""
    source = (
        'const a: X<Y> = { b: [1, `x${y}`, /re/] as const };\nmodule.exports = { ...a, c: a.b[0] ?? f({ d: "e" }) };'
    )
    for size in range(len(source)):
        try:
            read(source[:size])
        except ConfigurationSyntaxError:
            continue
