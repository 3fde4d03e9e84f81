"""Executing a sequence call by call with its results and call trees: for reproducers, traces and concrete execution.

Slower than the native loop and of the same semantics; the state is back at the start afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from simulator.abi.contract import Function
from simulator.errors import CallStoppedError, ChainUnavailableError
from simulator.evm.machine import Machine
from simulator.evm.results import Result
from simulator.evm.tracer import CallNode, Tracer
from simulator.fuzz.checking.oracles import Oracle
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction, address_int


@dataclass(frozen=True)
class Replayed:
    """Result per transaction (None for a wait), the property call after the last one, and the call trees of both.
    `after_result` is that of `afterInvariant`, where it was called. `timestamp` and `number` are those of the block at
    the end. `unavailable` says why the replay was given up, where state of a forked chain could not be had or a call
    was stopped.
    """

    results: tuple[Result | None, ...]
    property_result: Result | None
    calls: tuple[CallNode, ...]
    unavailable: str = ""
    timestamp: int = 0
    number: int = 0
    after_result: Result | None = None


Watch = Callable[[Transaction, Result], None]
"""Sees each transaction right after it, with its result, while the machine still tells where it failed."""
Holding = Callable[[Sequence], AbstractContextManager[None]]


class Replayer:
    """`machine` must be at the deployed state; it is again when a method returns. What is executed, is executed within
    a block of `holding`. `after` is called at the end of a sequence too, where the property holds."""

    def __init__(
        self,
        machine: Machine,
        settings: CampaignSettings,
        holding: Holding = lambda _: nullcontext(),
        after: Function | None = None,
    ) -> None:
        self._after = after
        self._machine = machine
        self._settings = settings
        self._holding = holding

    def replay(
        self,
        sequence: Sequence,
        prop: Function | None,
        *,
        trace: bool,
        address: int | None = None,
        watch: Watch = lambda _transaction, _result: None,
        look: Callable[[], None] = lambda: None,
    ) -> Replayed:
        """Execute the sequence, then `prop` of the contract at `address`, by default the target, on the state it
        leaves. `look` is called on that state first."""
        machine = self._machine
        mark, timestamp, number = machine.mark(), machine.timestamp, machine.number
        tracer = Tracer()
        results: tuple[Result | None, ...] = ()
        property_result: Result | None = None
        after_result: Result | None = None
        unavailable = ""
        machine.tracer = tracer if trace else None
        try:
            with self._holding(sequence):
                results = tuple(self._execute(transaction, watch) for transaction in sequence)
                look()
                property_result = self._call_property(prop, address) if prop else None
                if self._after and property_result is not None and property_result.success:
                    after_result = self._call_property(self._after, address)
        except (CallStoppedError, ChainUnavailableError) as error:
            unavailable = str(error)
        finally:
            ending = machine.timestamp, machine.number
            machine.tracer = None
            machine.rollback(mark)
            machine.timestamp, machine.number = timestamp, number
        return Replayed(results, property_result, tuple(tracer.roots), unavailable, *ending, after_result)

    def replay_for(self, oracle: Oracle, sequence: Sequence) -> Replayed:
        """Execute the sequence with its traces, then what the test checks."""
        prop = oracle.function if oracle.check.is_property_call else None
        return self.replay(sequence, prop, trace=True, address=oracle.address)

    def _execute(self, transaction: Transaction, watch: Watch) -> Result | None:
        machine = self._machine
        machine.timestamp += transaction.seconds
        machine.number += transaction.blocks
        if transaction.is_wait:
            return None
        result = machine.transact(
            sender=address_int(transaction.sender),
            to=address_int(transaction.to),
            data=transaction.data,
            value=transaction.wei,
            gas=transaction.gas,
        )
        watch(transaction, result)
        return result

    def _call_property(self, prop: Function, address: int | None) -> Result:
        return self._machine.transact(
            sender=address_int(self._settings.property_sender),
            to=address_int(self._settings.contract_address) if address is None else address,
            data=prop.selector,
            gas=self._settings.property_gas,
        )
