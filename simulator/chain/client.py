"""Requests to a chain over several endpoints: retries with growing waits, and failover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from simulator.chain.json_rpc import Answer, JsonRpc, RpcError, RpcRequest
from simulator.chain.patience import Clock, Patience
from simulator.chain.transport import HttpLimits, HttpTransport, TransportError
from simulator.chain.values import MalformedValueError
from simulator.endpoint import Endpoint
from simulator.errors import ChainError, ChainLostError, ChainUnavailableError, FetchInterruptedError

ARCHIVE_HINT = "the state of this block needs an archive node, or a later rpcBlock"


class ChainNode(Protocol):
    """One endpoint that answers requests, as `JsonRpc` does."""

    def ask(self, requests: list[RpcRequest]) -> list[Answer]: ...

    def close(self) -> None: ...


@dataclass
class _Member:
    """An endpoint in the rota. `failure` says why it is out for good; `checked` whether it was found to be on the
    right chain."""

    name: str
    node: ChainNode
    checked: bool = False
    failure: str = ""
    fault: str = ""


Check = Callable[[ChainNode], None]
"""Raises `ChainError` when a node is not on the right chain, `TransportError` or `RpcError` when it cannot tell."""


def open_nodes(
    endpoints: Sequence[Endpoint], clock: Clock, limits: HttpLimits | None = None
) -> list[tuple[str, ChainNode]]:
    """A node for each endpoint, with its printable name. Nothing is connected yet."""
    return [
        (str(each), JsonRpc(HttpTransport(each, limits or HttpLimits(), lambda: clock.pulse()))) for each in endpoints
    ]


class ChainClient:
    """Asks whichever endpoint works. `check` is applied to an endpoint before its first answer is believed."""

    def __init__(
        self,
        nodes: Sequence[tuple[str, ChainNode]],
        clock: Clock | None = None,
        patience: Patience | None = None,
        check: Check | None = None,
    ) -> None:
        self._members = [_Member(name, node, checked=check is None) for name, node in nodes]
        self._clock = clock or Clock()
        self._patience = patience or Patience()
        self._check = check
        self._first = 0
        self._failures = 0
        self._last_answer = self._clock.now()
        self.requests = 0

    def ask(self, requests: list[RpcRequest], *, errors_are_answers: bool = False) -> list[Answer]:
        """Results in the order of the requests; an `RpcError` stands where the node knows no such method, and with
        `errors_are_answers` for every error of a request.

        Blocks until an endpoint answers. Raises `ChainUnavailableError` when none does in time, `ChainLostError` when
        that has been so for long, `ChainError` when no endpoint can ever answer.
        """
        start = self._clock.now()
        seconds = self._patience.when_down if self._failures else self._patience.fetch
        wait = self._patience.first_wait
        while True:
            answers, asked_to_wait = self._round(requests, errors_are_answers)
            if answers is not None:
                self._failures, self._last_answer = 0, self._clock.now()
                return answers
            pause = max(asked_to_wait, wait * self._clock.jitter.uniform(0.75, 1.25))
            if self._clock.now() + pause - start > seconds:
                raise self._out_of_reach()
            self._clock.wait(pause)
            wait = min(2 * wait, self._patience.max_wait)

    def close(self) -> None:
        """Close all connections."""
        for member in self._members:
            member.node.close()

    def _round(self, requests: list[RpcRequest], errors_are_answers: bool) -> tuple[list[Answer] | None, float]:
        """Try each endpoint once, the last good one first. The second number is the wait that was asked for."""
        wait = 0.0
        count = len(self._members)
        for number in [(self._first + offset) % count for offset in range(count)]:
            member = self._members[number]
            if member.failure:
                continue
            try:
                answers = self._try(member, requests, errors_are_answers)
            except TransportError as error:
                self._note(member, str(error), for_good=not error.transient)
                wait = max(wait, error.wait)
            except RpcError as error:
                text = f"{error}: {ARCHIVE_HINT}" if error.lacks_state else str(error)
                self._note(member, text, for_good=error.lacks_state and not error.transient)
            except MalformedValueError as error:
                self._note(member, f"{member.name} answered in an unknown form: {error}", for_good=False)
            except FetchInterruptedError:
                raise
            except ChainError as error:
                self._note(member, str(error), for_good=True)
            else:
                self._first = number
                return answers, 0.0
        if all(member.failure for member in self._members):
            raise ChainError("; ".join(dict.fromkeys(member.failure for member in self._members)))
        return None, wait

    def _try(self, member: _Member, requests: list[RpcRequest], errors_are_answers: bool) -> list[Answer]:
        if not member.checked and self._check is not None:
            self._check(member.node)
            member.checked = True
        self.requests += len(requests)
        answers = member.node.ask(requests)
        for answer in answers:
            if isinstance(answer, RpcError) and not (answer.no_method or errors_are_answers):
                raise answer
        return answers

    @staticmethod
    def _note(member: _Member, text: str, *, for_good: bool) -> None:
        member.fault = text
        if for_good:
            member.failure = text

    def _out_of_reach(self) -> ChainUnavailableError | ChainLostError:
        self._failures += 1
        reasons = "; ".join(dict.fromkeys(member.failure or member.fault for member in self._members))
        silent = self._clock.now() - self._last_answer
        if self._failures >= self._patience.lost_failures and silent > self._patience.lost_after:
            return ChainLostError(f"the forked chain has been out of reach for {silent:.0f} s: {reasons}")
        return ChainUnavailableError(reasons)
