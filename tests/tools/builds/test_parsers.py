"""Diagnostics from package managers and eslint."""

from __future__ import annotations

import pytest

from tests.support.parser_bench import OUTPUTS, parsed, recorded
from tools.builds.diagnostics import BuildDiagnostic, Parsed
from tools.builds.plugins import (
    bun_install,
    eslint_lint,
    npm_install,
    pnpm_install,
)


def told(found: Parsed) -> list[tuple[str, str | None, str]]:
    return [(each.severity, each.code, each.message) for each in found.diagnostics]


def placed(found: Parsed) -> list[tuple[str | None, int | None, int | None]]:
    return [(each.file, each.line, each.column) for each in found.diagnostics]


def only(found: Parsed) -> BuildDiagnostic:
    (each,) = found.diagnostics
    return each


def test_npm_tells_a_failure_once_with_its_code() -> None:
    """The reason without npm's advice and the paths of its logs; the log range spans what npm said."""
    found = only(recorded(npm_install.PLUGIN, "npm_etarget.txt"))
    assert (found.code, found.message) == ("ETARGET", "No matching version found for left-pad@99.0.0.")
    assert (found.log_range.start_line, found.log_range.end_line) == (1, 4)
    found = only(recorded(npm_install.PLUGIN, "npm_eresolve.txt"))
    assert found.code == "ERESOLVE"
    assert found.message.startswith("unable to resolve dependency tree\nWhile resolving: t@1.0.0\nFound: react@16.0.0")
    assert "report" not in found.message
    found = only(recorded(npm_install.PLUGIN, "npm_bad_json.txt"))
    assert found.code == "EJSONPARSE"
    assert "JSON.parse " not in found.message
    assert only(recorded(npm_install.PLUGIN, "npm_e404.txt")).message.splitlines() == [
        "404 Not Found - GET https://registry.npmjs.org/this-package-does-not-exist-at-all-xyz",
        "The requested resource 'this-package-does-not-exist-at-all-xyz@^1.0.0' could not be found or you do not have"
        " permission to access it.",
    ]
    found = only(recorded(npm_install.PLUGIN, "npm_script.txt"))
    assert (found.code, found.message) == ("3", "in /work/app\ncommand failed\ncommand sh -c echo doing; exit 3")


def test_npm_warnings_of_both_spellings() -> None:
    """With their code where they have one; notes on npm's own settings are none of the project's."""
    found = parsed(
        npm_install.PLUGIN,
        b"npm warn deprecated request@2.88.2: request has been deprecated\n"
        b'npm WARN ERESOLVE overriding peer dependency\nnpm warn Unknown user config "nodedir". This will stop\n'
        b"npm warn\nnpm ERR! code E404\nnpm ERR! 404 Not Found - GET https://r/x\n",
    )
    assert told(found) == [
        ("warning", "deprecated", "request@2.88.2: request has been deprecated"),
        ("warning", "ERESOLVE", "overriding peer dependency"),
        ("error", "E404", "404 Not Found - GET https://r/x"),
    ]


def test_pnpm_of_both_generations() -> None:
    """Lines up to version 11, boxes after that: the same code and the same reason."""
    reason = "No matching version found for left-pad@99.0.0 while fetching it from https://registry.npmjs.org/"
    for name in ("pnpm10_no_version.txt", "pnpm12_no_version.txt"):
        assert told(recorded(pnpm_install.PLUGIN, name)) == [("error", "ERR_PNPM_NO_MATCHING_VERSION", reason)]
    found = only(recorded(pnpm_install.PLUGIN, "pnpm12_bad_json.txt"))
    assert found.message.endswith("read package manager policy: key must be a string at line 1 column 14")
    assert only(recorded(pnpm_install.PLUGIN, "pnpm10_bad_json.txt")).message.startswith("Expected double-quoted")
    found = recorded(pnpm_install.PLUGIN, "pnpm12_warnings.txt", exit_code=0)
    assert [each[0] for each in told(found)] == ["warning"]


def test_pnpm_tells_peers_and_scripts() -> None:
    """Which dependency wants what; the script that has failed; the file that is no JSON."""
    found = recorded(pnpm_install.PLUGIN, "pnpm10_peers.txt", exit_code=0)
    assert told(found)[-2:] == [
        ("warning", None, "Issues with peer dependencies found"),
        ("warning", "peer", "react-dom 18.2.0: unmet peer react@^18.2.0: found 16.0.0"),
    ]
    found = recorded(pnpm_install.PLUGIN, "pnpm10_script.txt")
    assert told(found)[-1] == ("error", "ELIFECYCLE", "Command failed with exit code 3.")
    found = parsed(pnpm_install.PLUGIN, b" ERROR  Expected a comma while parsing '{' in /work/app/x/package.json \n")
    assert only(found).file == "x/package.json"


def test_bun() -> None:
    """Errors with the place that follows them."""
    found = recorded(bun_install.PLUGIN, "bun_no_version.txt")
    assert [each.message for each in found.diagnostics] == [
        'No version matching "99.0.0" found for specifier "left-pad" (but package exists)',
        "left-pad@99.0.0 failed to resolve",
    ]
    found = recorded(bun_install.PLUGIN, "bun_bad_json.txt")
    assert placed(found) == [("proj/package.json", 1, 14)]
    assert only(found).log_range.end_line == only(found).log_range.start_line + 1


@pytest.mark.requirement("003-D9")
def test_eslint_has_places_but_none_in_the_log() -> None:
    """Files are told from the working folder, severities and rules as eslint gives them."""
    report = (
        b'[{"filePath":"/work/app/src/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"m","line":3,'
        b'"column":9},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error","line":1,"column":0},'
        b'{"ruleId":"x","severity":1,"message":"w"}],"errorCount":2}]'
    )
    found = parsed(eslint_lint.PLUGIN, b"(node:1) Warning\n" + report, stdout=report)
    assert told(found) == [("error", "no-undef", "m"), ("error", None, "Parsing error"), ("warning", "x", "w")]
    assert placed(found) == [("src/a.js", 3, 9), ("src/a.js", 1, None), ("src/a.js", None, None)]
    assert all(each.log_range.start_line == 0 for each in found.diagnostics)
    assert all(each.byte_offsets.end == 0 for each in found.diagnostics)


def test_eslint_that_cannot_lint_says_why() -> None:
    """Exit code 2 and a text."""
    text = b'\nOops! Something went wrong! :(\n\nESLint: 10.15.0\n\nNo files matching "x" were found.\nCheck.\n'
    found = only(parsed(eslint_lint.PLUGIN, text, stdout=b"", exit_code=2))
    assert (found.code, found.message) == ("FATAL", 'No files matching "x" were found.\nCheck.')


def test_eslint_whose_rule_crashes_names_file_and_rule() -> None:
    """Without the stack, which the log has."""
    log = (OUTPUTS / "eslint_crash.txt").read_bytes()
    found = only(parsed(eslint_lint.PLUGIN, log, stdout=b"", exit_code=2))
    assert (found.code, found.message) == ("FATAL", 'Error: rule exploded\nRule: "p/boom"')
    assert (found.file, found.line) == ("src/a.js", 1)


def test_eslint_with_too_many_warnings_says_so() -> None:
    """`--max-warnings` fails a run without errors."""
    log = b"[]\nESLint found too many warnings (maximum: 0).\n"
    found = only(parsed(eslint_lint.PLUGIN, log, stdout=b"[]"))
    assert (found.severity, found.code, found.log_range.start_line) == ("error", "MAX_WARNINGS", 2)
