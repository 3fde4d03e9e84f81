"""Policy: what a project, a configuration and the contracts under test may ask of this machine, and who decides it.

One `Policy` accompanies a campaign from its request through the compiler to its workers. Each kind of request is
answered by one method: files (`file`, `open`, `output_folder`), programs (`program`), network addresses (`endpoints`),
environment variables (`variable`) and `ffi`. A refusal is a `PolicyRefused`, which names the key, the place where it is
written and the allowed form.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from simulator.endpoint import Endpoint, parse_endpoints
from simulator.errors import PolicyRefused
from simulator.files.regular_file import open_regular

SOURCE_SUFFIX = ".sol"
ROOTS_VARIABLE = "MONOTREME_ROOTS"
"""By which a process of its own learns the roots, one behind the other as in PATH."""
TRUST_FLAG = "--trust-project"
RPC_FLAG = "--mcp-allow-rpc"
WORKER_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "MONOTREME_CACHE", "XDG_CACHE_HOME"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),  # whom to trust when a forked chain is read
)
"""Variables that workers are started with, none of them a secret."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that is asked for: the key, the file that says so (empty: the user), and the project's folders."""

    key: str
    place: str = ""
    within: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return f"{self.place}: {self.key}" if self.place else self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Permissions for requests. The defaults are those of a user at the command line.

    `roots` are folders that every file must lie in; None confines only what a project's own files name, to the project.
    `programs` are the only programs that may be named by their path; None allows those that the user names. `network`
    are origins (`scheme://host:port`) that may be reached; None allows those that the configuration names. `variables`
    are those of the worker's environment that contracts may read; None allows all of them. `may_use_ffi` lets
    `allowFFI` take effect. `trusts_project` gives the project's files the rights of the user.
    """

    roots: tuple[str, ...] | None = None
    programs: tuple[str, ...] | None = None
    network: tuple[str, ...] | None = None
    variables: tuple[str, ...] | None = None
    may_use_ffi: bool = True
    trusts_project: bool = False

    # --- files -------------------------------------------------------------------------------------------------------

    def file(self, request: Request, path: Path) -> Path:
        """The path with its links resolved; nothing needs to exist there. Raises `PolicyRefused`."""
        resolved = resolved_path(path)
        if resolved is None:
            raise PolicyRefused(f"{request}: the path cannot be resolved")
        if self.roots is not None:
            if not self.is_inside_roots(resolved):
                raise PolicyRefused(f"{request}: the path is outside the allowed roots ({self._shown_roots()})")
        elif request.within and not self.trusts_project and not _is_inside(resolved, request.within):
            shown = ", ".join(map(str, request.within))
            raise PolicyRefused(
                f"{request}: leads out of the project; allowed is what lies inside of {shown}; {TRUST_FLAG} allows more"
            )
        return resolved

    def source(self, request: Request, path: Path) -> Path:
        """The same for a source file. A user's project may use sources outside of it, but nothing else."""
        resolved = resolved_path(path)
        if self.roots is None and resolved is not None and resolved.suffix == SOURCE_SUFFIX:
            return resolved
        return self.file(request, path)

    def open(self, request: Request, path: Path, *, is_source: bool = False) -> BinaryIO:
        """Open a regular file for reading. Raises `PolicyRefused`, and `OSError` as `open_regular`."""
        resolved = self.source(request, path) if is_source else self.file(request, path)
        opened = open_regular(resolved)
        try:
            # A folder on the way may have become a link since it was resolved.
            actual = _path_of(opened.fileno())
            if actual is not None and actual != resolved:
                self.source(request, actual) if is_source else self.file(request, actual)
        except BaseException:
            opened.close()
            raise
        return opened

    def is_inside_roots(self, path: Path) -> bool:
        """Return whether the policy has no roots, or a path without links lies in one."""
        return self.roots is None or _is_inside(path, map(Path, self.roots))

    def output_folder(self, request: Request, folder: Path, names: Collection[str]) -> Path:
        """A folder that the campaign will write to: inside the roots, and none of `names` in it, whatever follows them
        behind a dot, is a link out of it. Raises `PolicyRefused`."""
        resolved = self.file(request, folder)
        for link in () if self.trusts_project else _links_in(resolved, names):
            target = resolved_path(link)
            if target is None or not _is_inside(target, (resolved,)):
                hint = f"; {TRUST_FLAG} allows it" if self.roots is None else ""
                raise PolicyRefused(f"{request}: {link} leads out of the folder; it is not written through{hint}")
        return resolved

    # --- programs ----------------------------------------------------------------------------------------------------

    def program(self, request: Request, path: Path) -> Path:
        """A program that is named by its path, which need not exist. Raises `PolicyRefused`."""
        if self.programs is not None:
            if str(path) not in self.programs:
                raise PolicyRefused(
                    f"{request}: names a program; allowed are releases such as 0.8.30, and the program that the "
                    "server's own command line names with --solc"
                )
        elif request.place and not self.trusts_project:
            raise PolicyRefused(
                f"{request}: names the program {path}; a project's files run none: --solc {path} runs this one, "
                f"{TRUST_FLAG} whatever the project names"
            )
        return path

    @property
    def runs_project_tools(self) -> bool:
        """Return whether programs may run that do whatever a project's files say, such as forge."""
        return self.trusts_project and self.programs is None

    # --- network, environment, ffi -----------------------------------------------------------------------------------

    def endpoints(self, request: Request, urls: str) -> tuple[Endpoint, ...]:
        """The nodes at these URLs. Raises `PolicyRefused`, and `ChainError` for URLs that are none."""
        found = parse_endpoints(urls)
        for each in found:
            if self.network is not None and str(each) not in self.network:
                allowed = ", ".join(self.network) or "none"
                raise PolicyRefused(
                    f"{request}: {each} is not among the addresses that this server may reach ({allowed}); "
                    f"{RPC_FLAG} URL on the server's command line allows one"
                )
        return found

    def variable(self, name: str) -> str | None:
        """An environment variable as contracts see it; None for one that is not set or not to be read."""
        return os.environ.get(name) if self.variables is None or name in self.variables else None

    def _shown_roots(self) -> str:
        return ", ".join(self.roots or ()) or "none: start the server with --mcp-root FOLDER"


USER = Policy()
"""A user at the command line, with a project that is not trusted."""


def agent_policy(
    roots: Iterable[Path], *, program: str | None = None, urls: Iterable[str] = (), may_use_ffi: bool = False
) -> Policy:
    """Return the permissions of an agent over the protocol. `program`, `urls` and `may_use_ffi` are what the
    administrator has set on the server's command line."""
    origins = (str(endpoint) for each in urls for endpoint in parse_endpoints(each))
    return Policy(
        roots=tuple(str(root) for root in roots),
        programs=(program,) if program else (),
        network=tuple(dict.fromkeys(origins)),
        variables=(),
        may_use_ffi=may_use_ffi,
    )


def find_program(name: str) -> str | None:
    """A program of PATH, whose relative entries are left out: they would lead into whatever folder is current."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        candidate = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None


_UNUSABLE = (errno.ENAMETOOLONG, errno.ELOOP)


def resolved_path(path: Path) -> Path | None:
    """The path without links; None where it cannot be resolved: links in a circle, names that are too long."""
    try:
        resolved = path.resolve()
        # Resolving passes over most errors; every later use of the path would fail.
        os.lstat(resolved)
    except OSError as error:
        return None if error.errno in _UNUSABLE else resolved
    except (RuntimeError, ValueError):
        return None
    return resolved


def _is_inside(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _path_of(descriptor: int) -> Path | None:
    """Return the path that a descriptor is open on, where the system tells."""
    try:
        return Path(os.readlink(f"/proc/self/fd/{descriptor}"))
    except OSError:
        return None


def _links_in(folder: Path, names: Collection[str]) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder) as entries:  # a folder that cannot be used is reported by who uses it
        for entry in entries:
            is_named = entry.name in names or any(entry.name.startswith(f"{name}.") for name in names)
            if is_named and entry.is_symlink():
                yield Path(entry.path)
