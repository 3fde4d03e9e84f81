"""The README, the user documents and the examples' descriptions agree with the program and with each other."""

from __future__ import annotations

import re
import shlex
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from orchestrator.command_line.fuzz_options import OPTIONS, REPORT_OPTIONS
from simulator.compile import CompileOptions, compile_targets, select_contract

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "docs" / "builds.md",
    ROOT / "docs" / "dependencies.md",
    *sorted((ROOT / "docs" / "use").glob("*.md")),
    *sorted((ROOT / "docs" / "concepts").glob("*.md")),
    *sorted((ROOT / "examples").glob("**/README.md")),
]
SOLIDITY = re.compile(r"^```solidity\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)\)")
COMMAND = re.compile(r"^    (?:\.venv/bin/)?monotreme fuzz (.+)$", re.MULTILINE)
ON_THE_USERS_MACHINE = {"CounterTest.sol", "Token.sol", "."}


def name(document: Path) -> str:
    return str(document.relative_to(ROOT))


def blocks() -> list[tuple[str, str]]:
    return [
        (f"{name(document)}:{number}", block)
        for document in DOCUMENTS
        for number, block in enumerate(SOLIDITY.findall(document.read_text()), 1)
    ]


@pytest.mark.integration
@pytest.mark.parametrize("block", [block for _, block in blocks()], ids=[place for place, _ in blocks()])
def test_solidity_in_documents_compiles(block: str, tmp_path: Path) -> None:
    """What a reader copies into a file is accepted by the compiler and has a contract to fuzz."""
    source = tmp_path / "Block.sol"
    source.write_text(block)
    assert select_contract(compile_targets((source,), CompileOptions())).creation_code


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_in_documents_lead_somewhere(document: Path) -> None:
    """Relative links name files of the repository."""
    links = [link for link in LINK.findall(document.read_text()) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_commands_in_documents_use_flags_and_paths_that_exist(document: Path) -> None:
    """A command that a reader copies is understood by the command line."""
    flags = set(chain.from_iterable(option.opts for option in (*OPTIONS, *REPORT_OPTIONS)))
    for command in COMMAND.findall(document.read_text()):
        words = shlex.split(command)
        assert {word for word in words if word.startswith("--")} <= flags
        if words[0] not in ON_THE_USERS_MACHINE and not words[0].startswith("-"):
            assert (ROOT / words[0]).exists()


def test_every_dependency_is_explained() -> None:
    """Each package of pyproject.toml has its row in docs/dependencies.md."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = chain(project["dependencies"], *project["optional-dependencies"].values())
    text = (ROOT / "docs" / "dependencies.md").read_text()
    missing = [package for package in (re.split(r"[<>=~ \[]", line)[0] for line in listed) if package not in text]
    assert missing == []
