"""forge's corpus of fuzz and invariant tests, and its cache of failed invariants.

A corpus file is a JSON array of calls, also compressed by gzip, in `<Contract>/<test>/`, from where forge loads, or in
`worker<N>/corpus/` below, where a run leaves what it found. A failed
invariant is an object with a `call_sequence`. `warp` and `roll` are seconds and blocks that pass before a call.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from simulator.abi.contract import ContractAbi
from simulator.corpus.identity import sequence_hash
from simulator.corpus.json_fields import read_bytes, read_number
from simulator.errors import CorpusError
from simulator.transaction import DEFAULT_GAS, Transaction, wei_bytes
from simulator.transaction import Sequence as TransactionSequence

MAX_CALLS = 10_000
MAX_SIZE = 64 << 20
# Part of the names that forge gives its files; what it is does not matter to it.
TIMESTAMP = 1_524_785_992
_GZIP = b"\x1f\x8b"
FILE_NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9]+\.json(\.gz)?")
_PREFIXES = ("test", "invariant", "statefulFuzz")


def parse_forge_sequence(content: bytes, place: str) -> TransactionSequence:
    """Read one file of forge's. `place` names it in messages. Raises `CorpusError` naming file and call."""
    try:
        document = msgspec.json.decode(_unpacked(content, place))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorpusError(f"{place}: not JSON: {error}") from None
    calls = document.get("call_sequence") if isinstance(document, Mapping) else document
    if not isinstance(calls, list) or len(calls) > MAX_CALLS:
        raise CorpusError(f"{place}: must be a JSON array of at most {MAX_CALLS} calls")
    return tuple(_read_call(node, f"{place}: call {index}") for index, node in enumerate(calls, 1))


def render_forge_sequence(sequence: TransactionSequence) -> bytes:
    """One corpus file as forge writes it. A wait becomes the delay of the call after it."""
    nodes: list[dict[str, Any]] = []
    seconds = blocks = 0
    for call in sequence:
        seconds, blocks = seconds + call.seconds, blocks + call.blocks
        if call.is_wait:
            continue
        node = {"sender": _hex(call.sender), "target": _hex(call.to), "calldata": _hex(call.data)}
        delays = {"warp": seconds, "roll": blocks, "value": call.wei}
        nodes.append({**{key: hex(value) for key, value in delays.items() if value}, **node})
        seconds = blocks = 0
    return msgspec.json.encode(nodes)


def forge_file_name(sequence: TransactionSequence) -> str:
    """The name of a sequence's file: a UUID made of its hash, and a time."""
    return f"{UUID(hex=sequence_hash(sequence)[:32], version=4)}-{TIMESTAMP}.json"


def forge_tests(sequence: TransactionSequence, abi: ContractAbi | None) -> tuple[str, ...]:
    """The tests whose corpus a sequence belongs to: the fuzz test that it calls, else every invariant."""
    functions = abi.functions if abi is not None else ()
    tests = [each for each in functions if each.name.startswith(_PREFIXES)]
    last = next((call.data[:4] for call in reversed(sequence) if not call.is_wait), b"")
    called = tuple(each.name for each in tests if each.selector == last and each.inputs.members)
    invariants = (each.name for each in tests if not each.name.startswith("test") and not each.inputs.members)
    return called or tuple(invariants)


def _unpacked(content: bytes, place: str) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            data = file.read(MAX_SIZE + 1)
    except (OSError, EOFError, ValueError) as error:
        raise CorpusError(f"{place}: not gzip: {error}") from None
    if len(data) > MAX_SIZE:
        raise CorpusError(f"{place}: over {MAX_SIZE} bytes")
    return data


def _read_call(node: object, place: str) -> Transaction:
    if not isinstance(node, Mapping):
        raise CorpusError(f"{place}: must be an object")
    target = node.get("target", node.get("addr"))
    return Transaction(
        sender=read_bytes(node.get("sender"), 20, f"{place}: sender"),
        to=read_bytes(target, 20, f"{place}: target"),
        data=read_bytes(node.get("calldata"), None, f"{place}: calldata"),
        value=wei_bytes(_optional(node, "value", 256, place)),
        seconds=_optional(node, "warp", 63, place),
        blocks=_optional(node, "roll", 63, place),
        gas=DEFAULT_GAS,
    )


def _optional(node: Mapping[str, Any], key: str, bits: int, place: str) -> int:
    value = node.get(key)
    return 0 if value is None else read_number(value, bits, f"{place}: {key}")


def _hex(data: bytes) -> str:
    return "0x" + data.hex()


def forge_folders(contract: str, tests: Sequence[str]) -> tuple[str, ...]:
    """Return forge's folders for the corpora of these tests, below its `corpus_dir`."""
    return tuple(f"{contract}/{test}" for test in tests)
