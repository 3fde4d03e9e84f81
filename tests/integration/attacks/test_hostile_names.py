"""Names that a project, a machine or an enemy may give to files and folders, in every place where a name can stand.

Each campaign is a real command line. It ends with a documented exit code and never by an internal error; what it prints
and writes is UTF-8 in which no character controls a terminal.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from simulator.printable import encodable, one_line, printable
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.integration

MONOTREME = os.fsencode(Path(sys.executable).with_name("monotreme"))
SOURCE = b"""pragma solidity ^0.8.0;
contract T { uint x; function f(uint a) public { x = a; } function echidna_ok() public returns (bool) { return true; } }
"""
NAMES = {
    "not UTF-8": b"\xff\xc3(",
    "a newline": b"a\nerror: forged",
    "escape sequences": b"\x1b[2J\x1b]0;title\x07\x9b",
    "quotes": b"\"'`$(true)\\",
    "spaces": b" a  b ",
    "a leading dash": b"--help",
    "text that runs backwards": "\u202elos.T\u2066".encode(),
    "invisible characters": "a\u200b\u2028\U000e0041\ufeff".encode(),
    "255 bytes": b"n" * 255,
    "another script": "合同-عقد-ß".encode(),
    "a decomposed letter": "e\u0301".encode(),
    "what remappings are made of": b"a=b:c",
}
WORST = b"\xff\x1b[2J\n\xe2\x80\xae\"' "


@dataclass
class Campaign:
    """A command line in the making. Places put a name into it."""

    base: bytes
    target: bytes = b""
    folder: bytes = b""
    options: list[bytes] = field(default_factory=list)
    environment: dict[bytes, bytes] = field(default_factory=lambda: dict(os.environb))
    written: bytes = b""

    def make(self, *parts: bytes, content: bytes | None = None) -> bytes:
        """A new folder below the base, or a file there."""
        path = os.path.join(self.base, *parts)
        os.makedirs(path if content is None else os.path.dirname(path), exist_ok=True)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def run(self, *extra: bytes) -> subprocess.CompletedProcess[bytes]:
        limits = [b"--test-limit", b"200", b"--workers", b"1", b"--seed", b"1"]
        target = self.target or self.make(b"plain", b"T.sol", content=SOURCE)
        command = [MONOTREME, b"fuzz", *limits, *self.options, *extra, b"--", target]
        return subprocess.run(
            command,
            cwd=self.folder or self.base,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )


def source_file(campaign: Campaign, name: bytes) -> None:
    campaign.target = campaign.make(b"p", name[:251] + b".sol", content=SOURCE)


def source_folder(campaign: Campaign, name: bytes) -> None:
    campaign.target = campaign.make(name, b"T.sol", content=SOURCE)


def current_folder(campaign: Campaign, name: bytes) -> None:
    campaign.make(name, b"T.sol", content=SOURCE)
    campaign.folder, campaign.target = os.path.join(campaign.base, name), b"T.sol"


def foundry_project(campaign: Campaign, name: bytes) -> None:
    campaign.make(name, b"foundry.toml", content=b"[profile.default]\n")
    campaign.make(name, b"src", b"T.sol", content=SOURCE)
    campaign.target = os.path.join(campaign.base, name)


def corpus_folder(campaign: Campaign, name: bytes) -> None:
    campaign.written = campaign.make(name)
    campaign.options += [b"--corpus-dir=" + campaign.written]


def corpus_file(campaign: Campaign, name: bytes) -> None:
    campaign.written = campaign.make(b"corpus")
    for folder in (b"coverage", b"reproducers", b"call_sequences"):
        campaign.make(b"corpus", folder, name[:251] + b".txt", content=b"[]")
        campaign.make(b"corpus", folder, name[:249] + b"x.json", content=b"no JSON")
    campaign.options += [b"--corpus-dir=" + campaign.written]


def coverage_folder(campaign: Campaign, name: bytes) -> None:
    campaign.written = os.path.join(campaign.base, name)
    campaign.options += [b"--coverage-dir=" + campaign.written]


def configuration_file(campaign: Campaign, name: bytes) -> None:
    file = campaign.make(name[:250] + b".yaml", content=b"unknownKey: 1\nseqLen: 10\n")
    campaign.options += [b"--config=" + file]


def temporary_folder(campaign: Campaign, name: bytes) -> None:
    campaign.environment[b"TMPDIR"] = campaign.make(name)


def state_folder(campaign: Campaign, name: bytes) -> None:
    for variable in (b"XDG_STATE_HOME", b"XDG_DATA_HOME"):
        campaign.environment[variable] = campaign.make(name)


# Where only the path matters, and where a compiler has to be told the name, which must be UTF-8 then.
ONLY_PATHS = (
    *(source_folder, current_folder, foundry_project, corpus_folder, corpus_file, coverage_folder),
    *(configuration_file, temporary_folder, state_folder),
)
PLACES: tuple[Callable[[Campaign, bytes], None], ...] = (*ONLY_PATHS, source_file)


def assert_printable(data: bytes) -> str:
    text = data.decode()
    assert printable(text) == text
    return text


def assert_clean(campaign: Campaign, done: subprocess.CompletedProcess[bytes]) -> None:
    """Nothing that was printed or written needs escaping any more."""
    assert_printable(done.stdout)
    errors = assert_printable(done.stderr)
    assert "internal error" not in errors
    assert "Traceback" not in errors
    if not campaign.written:
        return
    for name in os.listdir(campaign.written):
        if name.startswith((b"covered.", b"checkpoint.json", b"events.jsonl")):
            with open(os.path.join(campaign.written, name), "rb") as file:
                text = assert_printable(file.read())
            if name == b"events.jsonl":
                assert [json.loads(line) for line in text.splitlines()]


def attack(folder: Path, name: bytes, *places: Callable[[Campaign, bytes], None]) -> Campaign:
    campaign = Campaign(os.fsencode(folder))
    for place in places:
        place(campaign, name)
    return campaign


def test_every_path_of_a_campaign_may_have_the_worst_name(tmp_path: Path) -> None:
    """At once: project, current folder, corpus, its files, configuration and temporary folder. The report is whole."""
    places = (current_folder, corpus_file, coverage_folder, configuration_file, temporary_folder, state_folder)
    campaign = attack(tmp_path, WORST, *places)
    done = campaign.run(b"--format=json")
    assert done.returncode == 0, done.stderr
    assert_clean(campaign, done)
    report = json.loads(done.stdout)
    assert [test["status"] for test in report["tests"]] == ["passed"]
    assert "unknownKey" in done.stderr.decode()
    lcov = next(Path(os.fsdecode(campaign.written)).glob("covered.*.lcov"))
    shown = one_line(os.fsdecode(os.path.join(campaign.base, WORST, b"T.sol")))
    assert f"SF:{shown}\n" in lcov.read_text(encoding="utf-8")


def test_a_source_that_no_compiler_can_be_told_of_is_named(tmp_path: Path) -> None:
    """Compilers take names as UTF-8 alone: exit code 2, in one line, with what to do."""
    campaign = attack(tmp_path, WORST, source_file)
    done = campaign.run(b"--quiet")
    assert done.returncode == 2
    (line,) = assert_printable(done.stderr).splitlines()
    assert line.startswith("error: ")
    assert one_line(os.fsdecode(WORST)) in line
    assert line.endswith("not UTF-8: rename it")


@pytest.mark.nightly
def test_what_is_no_file_is_passed_over_in_projects_and_corpora(tmp_path: Path) -> None:
    """Pipes, sockets, devices, links in circles and to nowhere, folders named as a source: none is waited for."""
    campaign = Campaign(os.fsencode(tmp_path))
    for folder, suffix in ((b"p", b".sol"), (os.path.join(b"corpus", b"coverage"), b".txt")):
        path = campaign.make(folder)
        os.mkfifo(os.path.join(path, b"pipe" + suffix))
        os.symlink(b"nowhere", os.path.join(path, b"dangling" + suffix))
        os.symlink(b"circle" + suffix, os.path.join(path, b"circle" + suffix))
        os.symlink(b"/dev/zero", os.path.join(path, b"device" + suffix))
        campaign.make(folder, b"folder" + suffix)
        with socket.socket(socket.AF_UNIX) as listening:
            before = os.getcwd()
            os.chdir(path)
            try:
                listening.bind(b"socket" + suffix)
            finally:
                os.chdir(before)
    campaign.make(b"p", b".#T.sol", content=b"an editor's lock")
    campaign.make(b"p", b"T.sol", content=SOURCE)
    campaign.target, campaign.written = os.path.join(campaign.base, b"p"), os.path.join(campaign.base, b"corpus")
    done = campaign.run(b"--corpus-dir=" + campaign.written)
    assert done.returncode == 0, done.stderr
    assert_clean(campaign, done)
    told = done.stderr.decode()
    assert all(f"coverage/{name}.txt" in told for name in ("pipe", "dangling", "circle", "device", "folder", "socket"))


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (r'corpusDir: "a\0b"', 2, "NUL"),
        (r'coverageDir: "a\0b"', 2, "NUL"),
        (r'"\0": 1', 2, "NUL"),
        ('corpusDir: "' + "n" * 300 + '"', 2, "no folder can have this name"),
        (r'prefix: "\e[2J\u202e"', 2, "\\x1b[2J\\u202e*"),
        (r'contract: "\e[2J\u202e"', 2, "\\x1b[2J\\u202e"),
        (r'"\e[2J": 1' + "\ntestLimit: x", 2, "testLimit"),
        (r'solcVersion: "\e[2J"', 2, "\\x1b[2J"),
        (r'sender: ["\e[2J"]', 2, "\\x1b[2J"),
        ('sender: [""]', 2, "sender[0]: got ''"),
    ],
)
@pytest.mark.nightly
def test_a_configuration_cannot_name_what_no_name_is(tmp_path: Path, text: str, code: int, said: str) -> None:
    """The error names the key's place or what was looked for, in a form that may be printed."""
    campaign = Campaign(os.fsencode(tmp_path))
    campaign.options = [b"--config=" + campaign.make(b"a.yaml", content=text.encode())]
    done = campaign.run()
    assert (done.returncode, said in assert_printable(done.stderr)) == (code, True), done.stderr
    assert_clean(campaign, done)


def test_arguments_that_are_echoed_cannot_control_the_terminal(tmp_path: Path) -> None:
    """Unknown commands, options and files, before anything is loaded."""
    for arguments in ([WORST], [b"fuzz", b"--" + WORST], [b"fuzz", WORST], [b"evm", b"run", b"--code", WORST]):
        done = subprocess.run([MONOTREME, *arguments], cwd=tmp_path, capture_output=True, timeout=PATIENCE, check=False)
        assert done.returncode == 2
        assert_printable(done.stdout + done.stderr)


@pytest.mark.nightly
def test_a_source_line_in_a_message_cannot_control_the_terminal(tmp_path: Path) -> None:
    """Comments and texts of a source that does not compile, with the mark below what is wrong."""
    campaign = Campaign(os.fsencode(tmp_path))
    source = 'pragma solidity ^0.8.0; contract X { /* \x1b]0;t\x07\u2066 */ uint x = "\x9b2J"; oops }'
    campaign.target = campaign.make(b"X.sol", content=source.encode())
    done = campaign.run(b"--quiet")
    assert done.returncode == 2
    shown = assert_printable(done.stderr)
    assert "\\x1b]0;t\\x07\\u2066" in shown


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_any_name_in_any_place(tmp_path: Path, place: Callable[[Campaign, bytes], None], name: bytes) -> None:
    """The campaign runs to its end, but for a source whose name is not UTF-8."""
    campaign = attack(tmp_path, name, place)
    done = campaign.run()
    is_refused = place is source_file and encodable(os.fsdecode(name)) != os.fsdecode(name)
    assert done.returncode == (2 if is_refused else 0), done.stderr
    assert_clean(campaign, done)


@pytest.mark.nightly
@pytest.mark.parametrize("names", [(b"Ab", b"aB"), ("\u00e9".encode(), "e\u0301".encode())], ids=["case", "form"])
def test_names_that_look_the_same_are_two(tmp_path: Path, names: tuple[bytes, bytes]) -> None:
    """Contracts of one name in files that differ by case or by Unicode normalisation only are told apart."""
    campaign = Campaign(os.fsencode(tmp_path))
    for name in names:
        campaign.make(b"p", name + b".sol", content=SOURCE)
    campaign.target = os.path.join(campaign.base, b"p")
    for name in names:
        done = campaign.run(b"--contract=p/%s.sol:T" % name, b"--format=json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["campaign"]["target"] == f"p/{name.decode()}.sol:T"
