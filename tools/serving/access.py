"""Access to a server over HTTP: bearer tokens with scopes, kept in a file that only its owner can read."""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import msgspec

from simulator.files.regular_file import NotRegularError, open_regular
from tools.tool import Scope

TOKEN_BYTES = 32
MAX_FILE_BYTES = 4_096
MIN_TOKEN_LENGTH = 16


class TokenFileError(Exception):
    """The token file cannot be read, made or trusted; the message names it and says why."""

    code = "E_TOKEN_FILE"


class Tokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`control` allows everything, `read` only what changes nothing."""

    control: str
    read: str

    def scopes_of(self, token: str) -> frozenset[Scope] | None:
        """Scopes of a token, None for an unknown one. Takes the same time for all that are not."""
        given = token.encode("utf-8", "replace")
        is_control = hmac.compare_digest(given, self.control.encode())
        is_read = hmac.compare_digest(given, self.read.encode())
        if is_control:
            return frozenset({Scope.READ, Scope.CONTROL})
        return frozenset({Scope.READ}) if is_read else None


@dataclass(frozen=True, slots=True)
class TokenFile:
    """`made` says that the tokens are new, so that they must be shown to the user."""

    path: Path
    tokens: Tokens
    made: bool


def new_tokens() -> Tokens:
    return Tokens(secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES))


def tokens_in(path: Path) -> TokenFile:
    """The tokens of a file, which is made with mode 0600 when there is none. Blocks on the disk.

    Raises `TokenFileError` for a file that others can read or write, that is no regular file of this user, or that does
    not hold two different tokens of at least 16 characters.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return TokenFile(path, _read(path), made=False)
    except OSError as error:
        raise TokenFileError(f"{path}: the token file cannot be made: {error.strerror}") from error
    tokens = new_tokens()
    with open(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(tokens), indent=2) + b"\n")
    return TokenFile(path, tokens, made=True)


def _read(path: Path) -> Tokens:
    try:
        with open_regular(path) as file:
            _refuse_what_is_open_to_others(path, os.fstat(file.fileno()))
            content = file.read(MAX_FILE_BYTES)
    except NotRegularError as error:
        raise _not_yours(path) from error
    except OSError as error:
        raise TokenFileError(f"{path}: the token file cannot be read: {error.strerror}") from error
    try:
        tokens = msgspec.json.decode(content, type=Tokens)
    except msgspec.DecodeError as error:
        raise TokenFileError(f'{path}: expected {{"control": "...", "read": "..."}}: {error}') from error
    if min(len(tokens.control), len(tokens.read)) < MIN_TOKEN_LENGTH or tokens.control == tokens.read:
        raise TokenFileError(f"{path}: expected two different tokens of at least {MIN_TOKEN_LENGTH} characters")
    return tokens


def _refuse_what_is_open_to_others(path: Path, state: os.stat_result) -> None:
    if state.st_uid != os.getuid():
        raise _not_yours(path)
    if state.st_mode & 0o077:
        raise TokenFileError(f"{path}: the token file can be read by others; run: chmod 600 {path}")


def _not_yours(path: Path) -> TokenFileError:
    return TokenFileError(f"{path}: the token file must be a regular file of yours")


def is_loopback(host: str) -> bool:
    """True if only this machine reaches what listens there."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
