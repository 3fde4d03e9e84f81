"""Addresses of JSON-RPC nodes. They often carry keys, so that only scheme, host and port are ever shown."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from simulator.errors import ChainError

MAX_URLS = 16
_MIN_SECRET_LENGTH = 6
_FORM = "expected http:// or https:// URLs, separated by commas"


@dataclass(frozen=True)
class Endpoint:
    """One node. `str()` and `repr()` are safe to print."""

    scheme: str
    host: str
    port: int
    path: str
    authorization: str = ""

    def __str__(self) -> str:
        usual = self.port == (443 if self.scheme == "https" else 80)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if usual else f":{self.port}")

    def __repr__(self) -> str:
        return f"Endpoint({self})"

    def scrub(self, text: str) -> str:
        """A text that the node sent, without anything of the URL that may be a key."""
        for secret in (*re.split("[/?&=]", self.path), *self.authorization.split()[1:]):
            if len(secret) >= _MIN_SECRET_LENGTH:
                text = text.replace(secret, "***")
        return text

    @property
    def fingerprint(self) -> str:
        """Tells endpoints apart in file names without giving anything away."""
        secret = f"{self.scheme}|{self.host}|{self.port}|{self.path}|{self.authorization}"
        return hashlib.sha256(secret.encode()).hexdigest()[:32]


def parse_endpoints(text: str) -> tuple[Endpoint, ...]:
    """One or more URLs separated by commas. Raises `ChainError`, whose message holds no part of a URL."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or len(parts) > MAX_URLS:
        raise ChainError(f"rpcUrl: {_FORM}, 1 to {MAX_URLS} of them")
    return tuple(_parse(part, number) for number, part in enumerate(parts, 1))


def _parse(text: str, number: int) -> Endpoint:
    place = f"rpcUrl: URL {number}"
    if any(character.isspace() or ord(character) < 32 for character in text) or not text.isascii():
        raise ChainError(f"{place} has a character that URLs do not have; {_FORM}")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ChainError(f"{place} is not a URL; {_FORM}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ChainError(f"{place} is not of the right form; {_FORM}")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or (443 if parts.scheme == "https" else 80),
        path=path,
        authorization=_basic(parts.username, parts.password),
    )


def _basic(user: str | None, password: str | None) -> str:
    if user is None:
        return ""
    return "Basic " + b64encode(f"{unquote(user)}:{unquote(password or '')}".encode()).decode()
