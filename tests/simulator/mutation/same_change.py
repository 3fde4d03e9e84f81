"""The same change made in the source, and whether both behave alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from simulator.compile import CompileOptions, compile_targets
from simulator.evm.code_store import Substitute
from simulator.mutation.mutant import Mutant
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence as Calls
from simulator.worker.commands import Setup
from simulator.worker.setup import Worker, build_worker


def _without_store(before: str) -> str:
    """The rest of an assignment: its value, computed for nothing."""
    for operator in ("+=", "-=", "*=", "/=", "%="):
        left, found, right = before.partition(f" {operator} ")
        if found:
            return f"{left} {operator[0]} ({right})"
    return before.partition(" = ")[2] or "true"


def changed_source(content: str, mutant: Mutant) -> str | None:
    """The source with a mutant's change; None where it cannot be said in one expression, or is not told whole."""
    data = content.encode()
    end = mutant.start + mutant.length
    after = {"check": "true", "store": _without_store(mutant.before)}.get(mutant.operator, mutant.after)
    if "…" in after or mutant.operator == "call" or mutant.before.startswith("loop while"):
        return None
    if mutant.operator == "store" and not data[end:].lstrip().startswith(b";"):
        return None
    if mutant.operator == "unchecked":
        after = after.removeprefix("unchecked(").removesuffix(")")
        if not data[end:].startswith(b";") or "=" not in after:
            return None
        return (data[: mutant.start] + b"unchecked { " + after.encode() + b"; }" + data[end + 1 :]).decode()
    if mutant.operator in ("arithmetic", "comparison", "condition") and not _is_statement(mutant.before):
        after = f"({after})"
    return (data[: mutant.start] + after.encode() + data[end:]).decode()


def _is_statement(before: str) -> bool:
    return before.startswith(("if", "require")) or re.search(r"[^=<>!]=[^=]|\+\+|--", before) is not None


def compiled(contents: Sequence[str], folder: Path, arguments: tuple[str, ...]) -> Project:
    """Sources, each in a file of its own, in one run of the compiler."""
    files = [folder / f"Subject{number}.sol" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_text(content)
    return compile_targets(files, msgspec.structs.replace(CompileOptions(), solc_args=arguments))


def deployed(project: Project, folder: Path, number: int = 0, substitute: Substitute | None = None) -> Worker:
    """The contract `Subject` of one of the files, deployed, with other instructions where that is wanted."""
    name = next(each.full_name for each in project.contracts if each.path.endswith(f"Subject{number}.sol"))
    path = folder / "project"
    path.write_bytes(msgspec.msgpack.encode(project))
    settings = CampaignSettings(contract=name, compile_hot_code=False)
    return build_worker(Setup(0, 1, str(path).encode(), settings), substitute=substitute)


def made_sequences(worker: Worker, count: int) -> list[Calls]:
    """Sequences as the worker makes them."""
    found: list[Calls] = []
    engine = worker.engine
    while len(found) < count:
        engine.fuzz(engine.calls + 1)
        found.append(engine.current_sequence(worker.settings.sequence_length))
    return found


def behaviour(worker: Worker, sequences: list[Calls]) -> list[tuple[bool, bytes]]:
    """The result of all calls."""
    return [
        (result.success, result.output)
        for sequence in sequences
        for result in worker.replayer.replay(sequence, None, trace=False).results
        if result is not None
    ]
