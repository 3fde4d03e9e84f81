"""URLs of nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.endpoint import parse_endpoints
from simulator.errors import ChainError

SECRET = "https://user:pass%20word@node.example:8443/v3/0123456789abcdef?key=topsecret"


def test_several_urls_are_separated_by_commas() -> None:
    """With the usual ports, and spaces around them."""
    first, second, third = parse_endpoints("http://a, https://b:1/x ,http://[::1]:8545")
    assert (first.host, first.port, first.path) == ("a", 80, "/")
    assert (second.scheme, second.port, second.path) == ("https", 1, "/x")
    assert (str(first), str(second), str(third)) == ("http://a", "https://b:1", "http://[::1]:8545")


def test_keys_are_never_shown() -> None:
    """Neither user nor path nor query appear in any text of an endpoint; texts of the node are cleaned of them."""
    (endpoint,) = parse_endpoints(SECRET)
    for text in (str(endpoint), repr(endpoint), f"{[endpoint]}", endpoint.fingerprint):
        assert not any(part in text for part in ("user", "pass", "0123456789", "topsecret"))
    assert endpoint.authorization == "Basic dXNlcjpwYXNzIHdvcmQ="
    assert endpoint.scrub("project 0123456789abcdef, topsecret: unknown") == "project ***, ***: unknown"


def test_endpoints_with_other_keys_have_other_fingerprints() -> None:
    """The fingerprint stands for the whole URL."""
    urls = [SECRET, SECRET.replace("topsecret", "other"), SECRET.replace("user", "u"), "http://node.example"]
    assert len({parse_endpoints(url)[0].fingerprint for url in urls}) == 4


@pytest.mark.parametrize(
    "text",
    ["", " , ", "node.example/topsecret", "ftp://topsecret@x", "http://", "http://x:99999/topsecret", "http://a b"],
)
def test_a_bad_url_is_refused_without_being_repeated(text: str) -> None:
    """The message says which of them, and the allowed form."""
    with pytest.raises(ChainError, match="expected http:// or https:// URLs") as caught:
        parse_endpoints(text)
    assert "topsecret" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_understood_or_refused(text: str) -> None:
    """With one kind of error."""
    try:
        for endpoint in parse_endpoints(text):
            assert endpoint.scheme in ("http", "https")
            assert 0 < endpoint.port < 65536
            assert "\n" not in endpoint.path
    except ChainError:
        pass
