"""Compiling Vyper files, all with the one release that their pragmas allow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from simulator.cache.store import Cache
from simulator.compile.cache_key import cache_key
from simulator.compile.options import CompileOptions
from simulator.compile.solc.runner import Runner
from simulator.compile.solc.standard_json import decode_json
from simulator.compile.solc.version import format_version
from simulator.compile.sources.imports import MAX_SOURCE, MAX_SOURCES
from simulator.compile.vyper.compilers import VyperCompiler, find_vyper, version_ranges
from simulator.compile.vyper.output import read_output, standard_input
from simulator.errors import CompileError
from simulator.policy import Policy, Request
from simulator.printable import shown_path
from simulator.project import Project, Unit

SUFFIXES = (".vyi", ".vy")
_IMPORT = re.compile(r"^(?:from[ \t]+(?P<base>[.\w]+)[ \t]+)?import[ \t]+(?P<name>[\w.]+)", re.MULTILINE)


def compile_vyper(
    root: Path, files: Iterable[Path], options: CompileOptions, run: Runner, progress: Callable[[str], None]
) -> Project:
    """Compile Vyper files, which may import modules and interfaces of the root. Raises `CompilationFailed`,
    `CompileError` and `PolicyRefused`."""
    chosen = [file.relative_to(root).as_posix() for file in files]
    sources = {name: _text(root / name, root, options.policy) for name in chosen}
    compiler = find_vyper(version_ranges(sources.values()), options, run, progress)
    sources.update(_modules(root, sources, options.policy))
    text = standard_input(sources, chosen)
    cache: Cache[Unit] = Cache(options.cache / "compiled", Unit)
    key = cache_key("vyper", text, format_version(compiler.version))
    unit = cache.get(key) if options.use_cache else None
    if unit is None:
        name = f"Vyper {format_version(compiler.version)}"
        progress(f"{len(chosen)} {'file' if len(chosen) == 1 else 'files'} with {name}")
        unit = read_output(_output(compiler, text, name, options, run), sources, compiler.version)
        cache.put(key, unit)
    return Project.in_folder(root, (unit,), tuple(chosen))


def _output(compiler: VyperCompiler, text: bytes, name: str, options: CompileOptions, run: Runner) -> dict[str, Any]:
    folder = options.cache / "empty"
    folder.mkdir(parents=True, exist_ok=True)
    result = run([str(compiler.path)], text, folder, options.timeout)
    if not result.stdout.strip():
        reason = result.stderr.decode(errors="replace").strip()[-500:] or f"exit code {result.returncode}"
        raise CompileError(f"{name} ended without output: {reason}")
    return decode_json(result.stdout, f"the output of {name}")


def _modules(root: Path, sources: Mapping[str, str], policy: Policy) -> dict[str, str]:
    """The modules and interfaces of the root that sources import, directly or not. What is not found, as the compiler's
    own interfaces are, is left to the compiler."""
    found: dict[str, str] = {}
    pending = [(root / name, text) for name, text in sources.items()]
    while pending:
        file, text = pending.pop()
        for module in _imported(file, text, root):
            name = module.relative_to(root).as_posix()
            if name in found or name in sources:
                continue
            if len(found) >= MAX_SOURCES:
                raise CompileError(f"{shown_path(root)}: more than {MAX_SOURCES} Vyper files are imported")
            found[name] = _text(module, root, policy)
            pending.append((module, found[name]))
    return found


def _imported(file: Path, text: str, root: Path) -> Iterator[Path]:
    """The files below the root that the imports of a source lead to."""
    for match in _IMPORT.finditer(text):
        base, name = match["base"] or "", match["name"]
        dots = len(base) - len(base.lstrip("."))
        parts = [part for part in (*base.split("."), *name.split(".")) if part]
        folders = [file.parents[dots - 1]] if 0 < dots <= len(file.parents) else [file.parent, root]
        candidates = (folder.joinpath(*parts).with_suffix(suffix) for folder in folders for suffix in SUFFIXES)
        module = next((each for each in candidates if each.is_file() and each.is_relative_to(root)), None)
        if module:
            yield module


def _text(file: Path, root: Path, policy: Policy) -> str:
    """A source of the project. Raises `CompileError` and `PolicyRefused`."""
    try:
        with policy.open(Request(file.name, str(root), (root,)), file) as opened:
            data = opened.read(MAX_SOURCE + 1)
        if len(data) > MAX_SOURCE:
            raise CompileError(f"{shown_path(file)}: larger than {MAX_SOURCE >> 20} MiB")
        return data.decode("utf-8")
    except OSError as error:
        raise CompileError(f"{shown_path(file)}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CompileError(f"{shown_path(file)}: not UTF-8 text at byte {error.start}") from error
