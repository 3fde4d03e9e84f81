"""Answers of a policy that is asked directly."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from simulator import policy as module
from simulator.errors import ChainError, PolicyRefused
from simulator.policy import USER, Policy, Request, agent_policy, find_program
from simulator.settings import CampaignSettings


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project with links: to a source and to a text outside, to itself."""
    for name in ("project/src", "outside"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("project/a.sol", "outside/b.sol", "outside/secret"):
        (tmp_path / name).write_text(name)
    for name, target in (("link.sol", "../outside/secret"), ("b.sol", "../outside/b.sol"), ("circle", "circle")):
        (tmp_path / "project" / name).symlink_to(target)
    return tmp_path


def asked(place: Path) -> Request:
    return Request("src", str(place / "project/foundry.toml"), (place / "project",))


def test_a_refusal_names_place_key_and_allowed_form(place: Path) -> None:
    """And the flag that decides otherwise, where there is one."""
    with pytest.raises(PolicyRefused) as refused:
        USER.file(asked(place), place / "outside")
    assert str(refused.value) == (
        f"{place}/project/foundry.toml: src: leads out of the project; allowed is what lies inside of {place}/project; "
        "--trust-project allows more"
    )
    assert refused.value.code == "E_POLICY"
    with pytest.raises(PolicyRefused, match=r"foundry.toml: src: the path is outside the allowed roots \(.*/project\)"):
        agent_policy([place / "project"]).file(asked(place), place / "outside")


def test_what_a_user_names_is_allowed_and_what_a_trusted_project_names(place: Path) -> None:
    """Without folders that it must lie in."""
    assert USER.file(Request("corpusDir"), place / "outside") == place / "outside"
    assert Policy(trusts_project=True).file(asked(place), place / "outside") == place / "outside"


def test_links_in_a_circle_are_refused(place: Path) -> None:
    """As is a name that is no path."""
    for name in ("circle/x", "a\0b", "x" * 5000):
        for policy in (USER, agent_policy([place / "project"])):
            with pytest.raises((PolicyRefused, OSError)):
                policy.open(asked(place), place / "project" / name)


@pytest.mark.parametrize("name", ["x" * 256, "x" * 5000, "y/" * 5000])
def test_names_that_the_file_system_cannot_take_are_refused(place: Path, name: str) -> None:
    for policy in (USER, agent_policy([place / "project"])):
        for ask in (policy.file, policy.source):
            with pytest.raises(PolicyRefused, match="cannot be resolved"):
                ask(asked(place), place / "project" / name)


def test_sources_outside_of_a_project_are_sources(place: Path) -> None:
    """Whatever the link to them is called; for an agent there are none."""
    with USER.open(asked(place), place / "project/b.sol", is_source=True) as file:
        assert file.read() == b"outside/b.sol"
    for policy, name in ((USER, "link.sol"), (agent_policy([place / "project"]), "b.sol")):
        with pytest.raises(PolicyRefused):
            policy.open(asked(place), place / "project" / name, is_source=True)


def test_a_folder_that_becomes_a_link_on_the_way_is_noticed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between resolving a path and opening it, somebody swaps a folder."""
    file = place / "project/src/secret"
    file.write_text("harmless")
    really_open = module.open_regular

    def swap_and_open(path: Path) -> object:
        (place / "project/src").rename(place / "project/away")
        (place / "project/src").symlink_to(place / "outside")
        return really_open(path)

    monkeypatch.setattr(module, "open_regular", swap_and_open)
    with pytest.raises(PolicyRefused):
        agent_policy([place / "project"]).open(asked(place), file)


def test_roots_are_compared_by_their_parts(tmp_path: Path) -> None:
    """A folder that only begins like a root is another one."""
    policy = agent_policy([tmp_path / "a"])
    assert policy.file(Request("x"), tmp_path / "a/b") == tmp_path / "a/b"
    with pytest.raises(PolicyRefused):
        policy.file(Request("x"), tmp_path / "ab")
    with pytest.raises(PolicyRefused, match="none: start the server with --mcp-root"):
        agent_policy([]).file(Request("x"), tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "http://node.example:8545",
        "http://node.example",
        "https://node.example.evil",
        "https://evil/https://node.example",
        "https://node.example:444/key",
        "https://node.example@evil/key",
        "https://node.example,https://evil",
        "http://[::1]:8545",
        "http://2130706433:8545",
        "http://127.1:8545",
        "http://localhost.:8545",
    ],
)
def test_only_named_origins_are_reached(url: str) -> None:
    """Scheme, host and port as they are written: nothing is resolved to be compared."""
    policy = agent_policy([], urls=["https://node.example/mine", "http://127.0.0.1:8545,http://localhost:8545"])
    with pytest.raises(PolicyRefused, match=r"rpcUrl: .* is not among the addresses .*--mcp-allow-rpc URL"):
        policy.endpoints(Request("rpcUrl"), url)


def test_a_named_origin_is_reached_under_any_path() -> None:
    """A key in it may be the client's own; hosts do not tell upper from lower case."""
    policy = agent_policy([], urls=["https://node.example/mine"])
    (found,) = policy.endpoints(Request("rpcUrl"), "https://NODE.example:443/theirs")
    assert found.path == "/theirs"
    with pytest.raises(ChainError):
        policy.endpoints(Request("rpcUrl"), "file:///etc/passwd")


def test_no_key_of_a_url_is_shown() -> None:
    """Of an address that is refused, and of those that are allowed."""
    policy = agent_policy([], urls=["https://user:password@node.example/secret-key"])
    with pytest.raises(PolicyRefused) as refused:
        policy.endpoints(Request("rpcUrl"), "https://me:mine@other.example/other-key")
    for secret in ("password", "secret-key", "mine@", "other-key"):
        assert secret not in str(refused.value)


def test_links_that_are_not_written_through_are_no_matter(place: Path) -> None:
    """Only names that the campaign writes, also with what follows behind a dot."""
    folder = place / "project"
    request = Request("corpusDir")
    assert USER.output_folder(request, folder, {"events.jsonl"}) == folder
    for name in ("events.jsonl", "events.jsonl.1"):
        (folder / name).symlink_to(place / "outside/new")
        with pytest.raises(PolicyRefused, match=f"{name} leads out of the folder.*--trust-project"):
            USER.output_folder(request, folder, {"events.jsonl"})
        assert Policy(trusts_project=True).output_folder(request, folder, {"events.jsonl"}) == folder
        (folder / name).unlink()
    (folder / "events.jsonl").symlink_to("src")
    assert USER.output_folder(request, folder, {"events.jsonl"}) == folder
    assert USER.output_folder(request, folder / "new", {"events.jsonl"}) == folder / "new"


def test_programs_come_from_absolute_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first that may be executed."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "solc").write_text("")
    (tmp_path / "second/solc").chmod(0o755)
    monkeypatch.chdir(tmp_path / "second")
    monkeypatch.setenv("PATH", ".")
    assert find_program("solc") is None
    monkeypatch.setenv("PATH", os.pathsep.join((".", str(tmp_path / "first"), str(tmp_path / "second"))))
    assert find_program("solc") == str(tmp_path / "second/solc")


def test_a_policy_reaches_the_workers(tmp_path: Path) -> None:
    """As it is, within the settings."""
    settings = CampaignSettings(policy=agent_policy([tmp_path], program="/bin/solc", urls=["http://localhost:1"]))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(settings), type=CampaignSettings) == settings
