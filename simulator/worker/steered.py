"""Steering of a worker between its native batches: focus, dictionary, templates, concrete execution."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from simulator.abi.call_parser import parse_call
from simulator.abi.text import format_arguments
from simulator.errors import AbiError
from simulator.evm.results import EmittedLog, Result
from simulator.fuzz.checking.reasons import outcome_text
from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.feedback.features import FeatureSet
from simulator.fuzz.generation.dictionary import Dictionary
from simulator.fuzz.loop.clamps import ArgumentClamp, FunctionClamp
from simulator.fuzz.loop.sequence_templates import StepSequence, TemplateStep
from simulator.fuzz.targets.target import TargetFunction
from simulator.trace.render import TraceLimits, render_log, render_trace
from simulator.transaction import Transaction, address_bytes
from simulator.worker.commands import (
    AddWords,
    Clamp,
    Execute,
    Focus,
    SequenceTemplate,
    SetClamps,
    SetTemplates,
    TemplateCall,
)
from simulator.worker.reports import CallOutcome, CoveredCells, Executed, LogEntry
from simulator.worker.setup import Worker
from simulator.worker.storage_changes import StorageWatch, by_transaction, storage_problem

MAX_OUTPUT = 1 << 14
MAX_LOGS = 64
MAX_LOG_DATA = 1 << 12
EXECUTED_TRACE = TraceLimits(items=2_000)
ANY_SENDER = bytes(20)
WORD_BYTES = 32


def _ignore(_transaction: Transaction, _result: Result) -> None:
    pass


def _limits(depth: int) -> TraceLimits:
    return replace(EXECUTED_TRACE, depth=depth) if depth else EXECUTED_TRACE


def _function_clamp(clamp: Clamp) -> FunctionClamp:
    return FunctionClamp(
        clamp.function,
        tuple(
            ArgumentClamp(
                each.path,
                each.canonical,
                tuple(int.from_bytes(value, "big") for value in each.values),
                int.from_bytes(each.low, "big"),
                int.from_bytes(each.high, "big"),
            )
            for each in clamp.arguments
        ),
        clamp.senders,
    )


class SteeredWorker:
    """Carries out steering commands on a worker whose machine is at the deployed state."""

    def __init__(self, worker: Worker, replayer: Replayer, features: FeatureSet) -> None:
        self._worker = worker
        self._replayer = replayer
        self._features = features

    def focus(self, command: Focus) -> None:
        self._worker.engine.focus(command.prioritized, command.excluded, command.weights, command.chance)

    def add_words_from(self, command: AddWords) -> None:
        more = Dictionary()
        for word in command.numbers:
            more.numbers[int.from_bytes(word, "big")] = None
        for word in command.fixed_bytes:
            more.fixed_bytes[int.from_bytes(word, "big")] = None
        for address in command.addresses:
            more.addresses[int.from_bytes(address, "big")] = None
        for blob in command.blobs:
            more.blobs[blob] = None
        self._worker.engine.learn(more)

    def set_templates(self, command: SetTemplates) -> tuple[str, ...]:
        """Use these templates; returns one sentence for each that fits no function here and is left out."""
        usable, problems = [], []
        for template in command.templates:
            try:
                usable.append(self._steps(template))
            except AbiError as error:
                problems.append(f"template {template.id} is not used: {error}")
        self._worker.engine.use_templates(tuple(usable))
        return tuple(problems)

    def set_clamps(self, command: SetClamps) -> None:
        self._worker.engine.hold_clamps(tuple(map(_function_clamp, command.clamps)))

    def execute(self, command: Execute) -> Executed:
        """Run a sequence; coverage stays as it was."""
        watch, problem = self._storage_watch(command)
        sees = watch.look if watch is not None else _ignore
        words: list[bytes] = []

        def look() -> None:
            words.extend(self._stored(address, key) for address, key in command.slots)

        with self._features.untouched():
            if command.cover:
                self._features.clear()
            replayed = self._replayer.replay(command.sequence, None, trace=command.trace, watch=sees, look=look)
            hit = tuple(self._features.hit()) if command.cover else ()
        if replayed.unavailable:
            outcomes = tuple(CallOutcome(False, b"", 0, replayed.unavailable) for _ in command.sequence)
        else:
            pairs = zip(command.sequence, replayed.results, strict=True)
            outcomes = tuple(self._outcome(transaction, result) for transaction, result in pairs)
        return Executed(
            command.id,
            outcomes,
            render_trace(replayed.calls, self._worker.book, _limits(command.depth)),
            replayed.timestamp,
            replayed.number,
            by_transaction(command.sequence, watch) if watch is not None else (),
            problem,
            tuple(CoveredCells(code.contract, code.kind, cells) for code, cells in hit),
            () if replayed.unavailable else tuple(words),
        )

    def _storage_watch(self, command: Execute) -> tuple[StorageWatch | None, str]:
        """Return what sees the changes of storage, and why there is none where it was asked for."""
        machine = self._worker.machine
        problem = storage_problem(machine, command.sequence) if command.storage_changes else ""
        return (StorageWatch(machine) if command.storage_changes and not problem else None), problem

    def _stored(self, address: bytes, key: bytes) -> bytes:
        word = self._worker.machine.get_storage(int.from_bytes(address, "big"), int.from_bytes(key, "big"))
        return word.to_bytes(WORD_BYTES, "big")

    # --- templates ---------------------------------------------------------------------------------------------------

    def _steps(self, template: SequenceTemplate) -> StepSequence:
        return StepSequence(tuple(map(self._step, template.calls)), template.share)

    def _step(self, call: TemplateCall) -> TemplateStep:
        target = self._target(call)
        transaction = Transaction(
            call.sender or ANY_SENDER,
            call.to,
            value=call.value,
            seconds=call.seconds,
            blocks=call.blocks,
            gas=self._worker.settings.transaction_gas,
        )
        return TemplateStep(parse_call(call.text, target.deployed.abi), target, transaction)

    def _target(self, call: TemplateCall) -> TargetFunction:
        at = [t for t in self._worker.engine.targets if t.deployed.address.to_bytes(20, "big") == call.to]
        if at:
            function = parse_call(call.text, at[0].deployed.abi).function
            for target in at:
                if target.function.signature == function.signature:
                    return target
        raise AbiError(f"{call.text[:60]}: the campaign calls no such function")

    # --- outcomes ----------------------------------------------------------------------------------------------------

    def _outcome(self, transaction: Transaction, result: Result | None) -> CallOutcome:
        if result is None:
            return CallOutcome(True, b"", 0, "")
        cut = len(result.output) > MAX_OUTPUT or len(result.logs) > MAX_LOGS
        return CallOutcome(
            result.success,
            result.output[:MAX_OUTPUT],
            result.gas_used,
            outcome_text(result, self._worker.book.errors),
            self._returned(transaction, result),
            tuple(self._logs(result.logs[:MAX_LOGS])),
            cut or any(len(log.data) > MAX_LOG_DATA for log in result.logs[:MAX_LOGS]),
        )

    def _returned(self, transaction: Transaction, result: Result) -> str:
        function = self._worker.book.function(transaction.to, transaction.data)
        if function is None or not result.success:
            return ""
        with suppress(AbiError):
            values = function.decode_result(result.output[:MAX_OUTPUT], strict=False)
            return format_arguments(function.outputs.members, values)[:MAX_OUTPUT]
        return ""

    def _logs(self, logs: Iterable[EmittedLog]) -> Iterable[LogEntry]:
        for log in logs:
            topics = tuple(topic.to_bytes(32, "big") for topic in log.topics)
            text = render_log(log, self._worker.book)
            yield LogEntry(address_bytes(log.address), topics, log.data[:MAX_LOG_DATA], text)
