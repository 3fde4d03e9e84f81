"""A plan as the tools take it: calls as text, and sequences in the form of Echidna's corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.autopilot.encoding import Unencodable, abi_type, arguments_data, members_of, plain_data
from orchestrator.autopilot.linked import Linked
from orchestrator.autopilot.values import element_of
from orchestrator.autopilot.world import PlannedCall
from simulator.abi.text import format_arguments
from simulator.abi.types import parse_type_text
from simulator.corpus.echidna_json import render_sequence
from simulator.errors import AbiError
from simulator.transaction import Transaction, address_bytes, wei_bytes

MAX_DELAY = (1 << 40) - 1


def call_object(call: PlannedCall, scope: Linked) -> dict[str, Any]:
    """As `execute_sequence` takes it. Raises `Unencodable`."""
    kinds, values = _arguments(call, scope)
    try:
        text = format_arguments([parse_type_text(kind) for kind in kinds], values)
    except (AbiError, ValueError) as error:
        raise Unencodable(str(error)) from error
    return {
        "call": f"{call.contract}.{call.function.name}({','.join(kinds)})({text})",
        "sender": f"0x{call.sender:040x}",
        "value": str(call.value),
        "delaySeconds": min(call.seconds, MAX_DELAY),
        "delayBlocks": min(call.blocks, MAX_DELAY),
    }


def sequence_text(plan: Sequence[PlannedCall], scopes: Mapping[str, Linked], addresses: Mapping[str, int]) -> str:
    """As `import_sequence` takes it. Raises `Unencodable`."""
    transactions = []
    for call in plan:
        kinds, values = _arguments(call, scopes[call.contract])
        transaction = Transaction(
            sender=address_bytes(call.sender),
            to=address_bytes(addresses[call.contract]),
            data=arguments_data(call.function.name, values, kinds),
            value=wei_bytes(call.value),
            seconds=min(call.seconds, MAX_DELAY),
            blocks=min(call.blocks, MAX_DELAY),
        )
        transactions.append(transaction)
    return render_sequence(tuple(transactions), lambda _: None).decode()


def _arguments(call: PlannedCall, scope: Linked) -> tuple[list[str], list[Any]]:
    kinds = [abi_type(each.type, scope) for each in call.function.parameters]
    return kinds, [_codec_value(data, kind) for data, kind in zip(call.arguments, kinds, strict=True)]


def _codec_value(data: Any, kind: str) -> Any:
    if kind.endswith("]"):
        base, _ = element_of(kind)
        return [_codec_value(each, base) for each in data]
    if kind.startswith("("):
        return [_codec_value(each, member) for each, member in zip(data, members_of(kind), strict=True)]
    return plain_data(data, kind)
