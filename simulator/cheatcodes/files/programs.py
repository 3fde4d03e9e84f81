"""`ffi`: running programs on this machine, only where the user has allowed it."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from typing import IO

from simulator.cheatcodes.core.errors import CheatcodeError, UnsupportedError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

TIME_LIMIT = 120.0
MAX_OUTPUT = 1 << 20
_HEX = re.compile(rb"(?:0[xX])?((?:[0-9a-fA-F]{2})*)")


@cheatcode("ffi(string[])")
def ffi(vm: Session, command: tuple[str, ...]) -> bytes:
    """Run a program and return what it prints: hex as bytes, anything else as it is."""
    code, output, errors = _run(vm, command)
    if code:
        shown = errors.decode("utf-8", "replace").strip()
        raise CheatcodeError(f"vm.ffi: {command[0]} ended with exit code {code}: {shown[:500]}")
    return _result(output)


@cheatcode("tryFfi(string[])")
def try_ffi(vm: Session, command: tuple[str, ...]) -> tuple[int, bytes, bytes]:
    code, output, errors = _run(vm, command)
    return code, _result(output), errors


def _result(output: bytes) -> bytes:
    stripped = output.strip()
    match = _HEX.fullmatch(stripped)
    return bytes.fromhex(match.group(1).decode()) if match else stripped


def _run(vm: Session, command: tuple[str, ...]) -> tuple[int, bytes, bytes]:
    if not vm.allow_ffi:
        text = "vm.ffi runs programs on this machine and is off; allowFFI: true turns it on"
        vm.warn_once(text)
        raise UnsupportedError(text)
    if not command or not command[0]:
        raise CheatcodeError("vm.ffi: no program is named")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            ended = subprocess.run(
                command,
                cwd=vm.root,
                env={**os.environ, **vm.state.variables} if vm.state.variables else None,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                timeout=TIME_LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise CheatcodeError(f"vm.ffi: {command[0]} took longer than {TIME_LIMIT:.0f} s") from None
        except (OSError, ValueError) as error:
            raise CheatcodeError(f"vm.ffi: {command[0]} cannot be started: {error}") from None
        return ended.returncode, _read(output), _read(errors)


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    data = file.read(MAX_OUTPUT + 1)
    if len(data) > MAX_OUTPUT:
        raise CheatcodeError(f"vm.ffi: the program printed more than {MAX_OUTPUT} bytes")
    return data


@cheatcode("projectRoot()")
def project_root(vm: Session) -> str:
    return str(vm.root)
