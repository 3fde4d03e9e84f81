"""The closure of a set of source files under `import`, each file under one name and inside the allowed folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from simulator.compile.diagnostics import CompilationFailed, Diagnostic, line_at
from simulator.compile.sources.remappings import (
    Remapping,
    absolute_import,
    apply_remappings,
    read_package_remappings,
    rooted,
    unit_name,
)
from simulator.compile.sources.scan import Directive, scan_directives
from simulator.errors import CompileError
from simulator.files.regular_file import is_regular
from simulator.policy import TRUST_FLAG, USER, Policy, Request, resolved_path
from simulator.printable import shown_path

MAX_SOURCE = 16 * 2**20
MAX_SOURCES = 20_000
MAX_LIBRARIES = 256


class SourceUnit(msgspec.Struct, frozen=True):
    """One source text. `imports` pairs each import path as seen from the root with the name it resolves to."""

    name: str
    content: str
    pragmas: tuple[Directive, ...]
    imports: tuple[tuple[str, str], ...]


class SourceGraph(msgspec.Struct, frozen=True):
    """All reachable units by name, the names asked for, and remappings that lead solc to the same names. `faults` are
    imports that lead nowhere and files that are no sources; such a file is an empty unit."""

    roots: tuple[str, ...]
    units: dict[str, SourceUnit]
    remappings: tuple[Remapping, ...]
    faults: tuple[Diagnostic, ...] = ()

    def faults_of(self, root: str) -> tuple[Diagnostic, ...]:
        """Return the faults of a root and of its imports."""
        units = self.closure(root)
        return tuple(each for each in self.faults if each.file in units)

    def closure(self, root: str) -> frozenset[str]:
        """The names reachable from one unit, itself included."""
        found, pending = {root}, [root]
        while pending:
            fresh = {target for _, target in self.units[pending.pop()].imports} - found
            found |= fresh
            pending.extend(fresh)
        return frozenset(found)


class SearchPath(msgspec.Struct, frozen=True):
    """Places that imports may come from. `root` is resolved; `libraries` are names of folders such as `lib` and
    `node_modules`, looked for in every package; `include` and `allowed` are further folders. `own` are folders of
    the user's that relative imports may also lead to. `policy` decides on every file in the end."""

    root: Path
    remappings: tuple[Remapping, ...] = ()
    libraries: tuple[str, ...] = ("node_modules", "lib")
    include: tuple[Path, ...] = ()
    allowed: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()
    policy: Policy = USER


def load_sources(files: Sequence[Path], search: SearchPath, *, is_tolerant: bool = False) -> SourceGraph:
    """Read `files` and everything they import. Raises `CompilationFailed` with one diagnostic for each import that is
    missing, unreadable or leads outside of the allowed folders, `CompileError` for a file that is not a source, and
    `PolicyRefused`. A tolerant one keeps all of this but refusals in the graph's `faults`."""
    loader = _Loader(search, is_tolerant)
    roots = [loader.name_of(loader.allowed(file)) for file in files]
    pending = list(dict.fromkeys(roots))
    while pending:
        unit = loader.load(pending.pop())
        pending.extend(dict.fromkeys(target for _, target in unit.imports if target not in loader.units))
        pending = [name for name in pending if name not in loader.units]
        if len(loader.units) > MAX_SOURCES:
            raise CompileError(f"the target imports more than {MAX_SOURCES} files")
    if loader.diagnostics and not is_tolerant:
        raise CompilationFailed(loader.diagnostics)
    return SourceGraph(
        tuple(dict.fromkeys(roots)), loader.units, loader.settled_remappings(), tuple(loader.diagnostics)
    )


class _Loader:
    def __init__(self, search: SearchPath, is_tolerant: bool = False) -> None:
        self.search = search
        self.is_tolerant = is_tolerant
        self.units: dict[str, SourceUnit] = {}
        self.diagnostics: list[Diagnostic] = []
        self.remappings = list(search.remappings)
        libraries = (resolved_path(search.root / each) for each in search.libraries)
        self._bases = (search.root, *search.include, *search.allowed, *filter(None, libraries))
        self._request = Request("sources", str(search.root), (search.root,))
        self._packages: dict[Path, tuple[Remapping, ...]] = {}
        self._library_folders: list[Path] | None = None

    def allowed(self, file: Path) -> Path:
        """A source of the project without links. Raises `PolicyRefused` naming it as the project does."""
        request = Request(f"the source {unit_name(file, self.search.root)}", str(self.search.root), (self.search.root,))
        return self.search.policy.source(request, file)

    def name_of(self, file: Path) -> str:
        return unit_name(file, self.search.root)

    def load(self, name: str) -> SourceUnit:
        try:
            content = self._read(self.search.root / name)
        except CompileError as error:
            if not self.is_tolerant:
                raise
            self.diagnostics.append(Diagnostic("error", "", str(error), name))
            content = ""
        directives = tuple(scan_directives(content))
        imports = [
            (absolute_import(name, each.text), target)
            for each in directives
            if each.kind == "import" and (target := self._resolve(name, content, each))
        ]
        pragmas = tuple(each for each in directives if each.kind == "pragma")
        unit = self.units[name] = SourceUnit(name, content, pragmas, tuple(imports))
        return unit

    def _read(self, file: Path) -> str:
        try:
            with self.search.policy.open(self._request, file, is_source=True) as opened:
                content = opened.read(MAX_SOURCE + 1)
            if len(content) > MAX_SOURCE:
                raise CompileError(f"{shown_path(file)}: larger than {MAX_SOURCE >> 20} MiB")
            return content.decode("utf-8")
        except OSError as error:
            raise CompileError(f"{shown_path(file)}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise CompileError(f"{shown_path(file)}: not UTF-8 text at byte {error.start}") from error

    def _resolve(self, unit: str, content: str, directive: Directive) -> str | None:
        path = absolute_import(unit, directive.text)
        name = apply_remappings(self.remappings, unit, path)
        is_relative = directive.text.startswith(("./", "../"))
        if is_relative and name == path:
            # Unlike solc, `..` may lead above the root, as far as other folders are allowed.
            file = self._existing(Path(os.path.normpath((self.search.root / unit).parent / directive.text)))
        else:
            file = self._existing(self.search.root / name)
        if file is None and not is_relative:
            file = self._look_up(unit, path)
        if file is not None and self._is_allowed(file, is_relative=is_relative):
            return self._settle(unit, path, file, is_relative=is_relative)
        reason = self._outside(file) if file else "is not found"
        if file is None and not is_relative:
            reason += self._advice(path, name)
        self.diagnostics.append(_import_error(unit, content, directive, f'import "{directive.text}" {reason}'))
        return None

    def _outside(self, file: Path) -> str:
        """Return where an import leads, and what allows it."""
        own = f"--allow-paths {shown_path(file.parent)}"
        return f"leads outside of {shown_path(self.search.root)}; {own} or {TRUST_FLAG} allows it"

    def _advice(self, path: str, name: str) -> str:
        """Advise the user on a missing import that is not relative."""
        if name != path:
            return f"; a remapping leads to {name}"
        package, separator, _ = path.partition("/")
        if not separator or not package or (self.search.root / package).is_dir():
            return ""
        return ": install it with npm or forge, or give a remapping"

    def _settle(self, unit: str, path: str, file: Path, *, is_relative: bool) -> str:
        """Make sure that solc comes to the same name, by a remapping of the package where that suffices."""
        target = self.name_of(file)
        if apply_remappings(self.remappings, unit, path) != target:
            own = Remapping(path, target, unit)
            self.remappings.append(own if is_relative else self._package_remapping(own))
        return target

    def _package_remapping(self, own: Remapping) -> Remapping:
        """A remapping for the package that an import names, or `own`, for this import alone, when the package is not
        one folder or has one already."""
        parts = PurePosixPath(own.prefix).parts
        size = 2 if own.prefix.startswith("@") else 1
        prefix, rest = "/".join(parts[:size]) + "/", "/".join(parts[size:])
        is_known = any(other.prefix == prefix and not other.context for other in self.remappings)
        if is_known or not rest or not own.target.endswith("/" + rest):
            return own
        return Remapping(prefix, own.target.removesuffix(rest))

    def settled_remappings(self) -> tuple[Remapping, ...]:
        """A later remapping may change what an earlier import means to solc: such imports get one of their own."""
        wanted = list(self.remappings)
        for unit in self.units.values():
            for path, target in unit.imports:
                if apply_remappings(wanted, unit.name, path) != target:
                    wanted.append(Remapping(path, target, unit.name))
        return tuple(dict.fromkeys(wanted))

    def _look_up(self, unit: str, path: str) -> Path | None:
        folder = (self.search.root / unit).parent
        while True:
            if found := self._in_package(folder, path):
                return found
            if folder == self.search.root or not folder.is_relative_to(self.search.root):
                break
            folder = folder.parent
        return self._first([*self._in_nested_libraries(path), *(base / path for base in self.search.include)])

    def _in_package(self, folder: Path, path: str) -> Path | None:
        """`path` as a file of the package in `folder`: by its own remappings, its libraries, or itself."""
        name = apply_remappings(self._package_remappings(folder), unit_name(folder, self.search.root) + "/", path)
        package, _, rest = path.partition("/")
        candidates = [self.search.root / name] if name != path else []
        for library in self.search.libraries:
            base = folder / library
            candidates += [base / path, *(base / package / source / rest for source in ("src", "contracts") if rest)]
        return self._first([*candidates, folder / path])

    def _in_nested_libraries(self, path: str) -> Iterator[Path]:
        """`path` as the libraries of the root would find it: as with forge, their remappings and libraries serve the
        root where it has none of its own."""
        package, _, rest = path.partition("/")
        for folder in self._root_libraries():
            own = self._package_remappings(folder)
            name = apply_remappings(own, unit_name(folder, self.search.root) + "/", path)
            if name != path:
                yield self.search.root / name
            for library in self.search.libraries:
                base = folder / library
                yield base / path
                yield from (base / package / source / rest for source in ("src", "contracts") if rest)

    def _root_libraries(self) -> list[Path]:
        if self._library_folders is None:
            bases = [self.search.root / library for library in self.search.libraries if library != "node_modules"]
            folders = (folder for base in bases if base.is_dir() for folder in base.iterdir() if folder.is_dir())
            self._library_folders = sorted(folders)[:MAX_LIBRARIES]
        return self._library_folders

    def _package_remappings(self, folder: Path) -> tuple[Remapping, ...]:
        """The remappings of a package below the root, empty for the root, whose own are searched first anyway."""
        if folder == self.search.root:
            return ()
        if folder not in self._packages:
            lines = read_package_remappings(folder, self.search.policy)
            self._packages[folder] = tuple(rooted(each, folder, self.search.root) for each in lines)
        return self._packages[folder]

    def _first(self, candidates: Iterable[Path]) -> Path | None:
        return next((file for candidate in candidates if (file := self._existing(candidate))), None)

    def _existing(self, file: Path) -> Path | None:
        """The file without links, None where there is none. Whether there is one outside of the roots is not told."""
        resolved = resolved_path(file)
        if resolved is None or not self.search.policy.is_inside_roots(resolved):
            return None
        return resolved if is_regular(resolved) else None

    def _is_allowed(self, file: Path, *, is_relative: bool) -> bool:
        bases = (*self._bases, *(self.search.own if is_relative else ()))
        return self.search.policy.trusts_project or any(file.is_relative_to(base) for base in bases)


def _import_error(unit: str, content: str, directive: Directive, message: str) -> Diagnostic:
    line, column = directive.line, directive.column
    end = column + len(directive.text) + 2
    return Diagnostic("error", "", message, unit, line, column, line, end, line_at(content, line))
