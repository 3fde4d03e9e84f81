"""From what a campaign knows to the parts of its report."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from orchestrator.report.model import CampaignSummary, Delay, ReproducerCall
from simulator.abi.contract import Function
from simulator.abi.text import format_raw, format_value
from simulator.errors import AbiError
from simulator.settings import TestMode
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction

WAIT_TEXT = "*wait*"


def reproducer(sequence: Iterable[Transaction], book: AddressBook) -> tuple[ReproducerCall, ...]:
    """A sequence in readable form. Calldata that fits no function of the callee comes as `*fallback*(0x...)`."""
    return tuple(_call(transaction, book) for transaction in sequence)


def _call(transaction: Transaction, book: AddressBook) -> ReproducerCall:
    delay = Delay(transaction.seconds, transaction.blocks)
    sender = f"0x{transaction.sender.hex()}"
    if transaction.is_wait:
        return ReproducerCall(call=WAIT_TEXT, function="", args=(), sender=sender, to="", value="0", delay=delay)
    call, function, args = _describe(book.function(transaction.to, transaction.data), transaction.data)
    return ReproducerCall(
        call=call,
        function=function,
        args=args,
        sender=sender,
        to=f"0x{transaction.to.hex()}",
        value=str(transaction.wei),
        delay=delay,
        contract=book.name(transaction.to) if book.is_known(transaction.to) else "",
        data=f"0x{transaction.data.hex()}",
    )


def _describe(function: Function | None, data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Readable call, canonical signature, argument texts."""
    if function is None:
        return f"*fallback*({format_raw(data)})", "", ()
    try:
        values = function.decode_call(data, strict=False)
    except AbiError:
        return f"{function.name}({format_raw(data[4:])})", function.signature, ()
    args = tuple(format_value(member, value) for member, value in zip(function.inputs.members, values, strict=True))
    return f"{function.name}({','.join(args)})", function.signature, args


def campaign_summary(
    *,
    target: str,
    mode: TestMode,
    seed: int,
    workers: int,
    calls: int,
    duration: float,
    stop_reason: str,
    left_out: tuple[str, ...] = (),
    gas: int = 0,
    nodes: tuple[str, ...] = (),
) -> CampaignSummary:
    """The campaign's figures: `duration` in seconds is rounded to milliseconds, the rate to one decimal."""
    rate = round(calls / duration, 1) if duration > 0 else 0.0
    return CampaignSummary(
        target=target,
        mode=mode,
        seed=seed,
        workers=workers,
        calls=calls,
        duration=round(duration, 3),
        calls_per_second=rate,
        stop_reason=stop_reason,
        left_out=left_out,
        gas=gas,
        worker_nodes=nodes if any(nodes) else msgspec.UNSET,
    )
