"""JSON-RPC 2.0 with one endpoint: batches, or single requests where the node refuses batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from simulator.chain.transport import HttpTransport, TransportError
from simulator.chain.values import shown
from simulator.printable import one_line, shortened

MAX_BATCH: Final = 64
_LIMIT_CODES: Final = frozenset({429, -32005, -32097, -32007})
_LIMIT_WORDS: Final = ("rate limit", "too many", "limit exceeded", "capacity", "throughput", "compute units")
_STATE_WORDS: Final = (
    "missing trie node",
    "pruned",
    "archive",
    "historical state",
    "state is not available",
    "state not available",
    "state at block",
    "state histories",
    "distance to target block exceeds",
)
# Also said by nodes behind a balancer that are a moment late.
_LATE_WORDS: Final = ("header not found", "block not found", "unknown block", "blockoutofrange", "block out of range")


@dataclass(frozen=True)
class RpcRequest:
    """One method call."""

    method: str
    params: tuple[Any, ...] = ()


class RpcError(Exception):
    """The node answered a request with an error. `lacks_state` says that it does not have the block or its state."""

    def __init__(self, message: str, *, transient: bool, lacks_state: bool = False, no_method: bool = False) -> None:
        super().__init__(message)
        self.transient = transient
        self.lacks_state = lacks_state
        self.no_method = no_method


Answer = Any
"""A result of any JSON type, or an `RpcError`."""


class JsonRpc:
    """Requests to one endpoint. What it learns about the node (no batches) it keeps."""

    def __init__(self, transport: HttpTransport) -> None:
        self.transport = transport
        self._batches = True
        self._next_id = 1

    def ask(self, requests: list[RpcRequest]) -> list[Answer]:
        """Results in the order of the requests, each perhaps an `RpcError`. Raises `TransportError`, also for answers
        that are no JSON-RPC."""
        answers: list[Answer] = []
        for start in range(0, len(requests), MAX_BATCH):
            answers += self._ask_some(requests[start : start + MAX_BATCH])
        return answers

    def close(self) -> None:
        self.transport.close()

    def _ask_some(self, requests: list[RpcRequest]) -> list[Answer]:
        if len(requests) > 1 and self._batches:
            answers = self._ask_batch(requests)
            if answers is not None:
                return answers
            self._batches = False
        return [self._ask_one(request) for request in requests]

    def _ask_batch(self, requests: list[RpcRequest]) -> list[Answer] | None:
        """None when the node does not take batches."""
        first = self._next_id
        self._next_id += len(requests)
        body = [self._message(request, first + index) for index, request in enumerate(requests)]
        try:
            document = self._exchange(body)
        except TransportError as error:
            if error.status in (400, 405, 413, 415):
                return None
            raise
        if isinstance(document, dict) and "error" in document:
            problem = self._error(document["error"])
            if problem.transient:
                raise TransportError(str(problem))
            return None
        if not isinstance(document, list):
            raise TransportError(f"{self._name} answered a batch with something else")
        found = {item["id"]: item for item in document if isinstance(item, dict) and isinstance(item.get("id"), int)}
        missing = TransportError(f"{self._name} left out answers of a batch")
        if any(first + index not in found for index in range(len(requests))):
            raise missing
        return [self._answer(found[first + index]) for index in range(len(requests))]

    def _ask_one(self, request: RpcRequest) -> Answer:
        number = self._next_id
        self._next_id += 1
        document = self._exchange(self._message(request, number))
        if isinstance(document, list) and len(document) == 1:
            document = document[0]
        if not isinstance(document, dict) or ("error" not in document and document.get("id") != number):
            raise TransportError(f"{self._name} answered with something that is not JSON-RPC")
        return self._answer(document)

    def _exchange(self, body: Any) -> Any:
        answer = self.transport.post(msgspec.json.encode(body))
        try:
            return msgspec.json.decode(answer)
        except (msgspec.DecodeError, RecursionError) as error:
            raise TransportError(f"{self._name} answered with something that is not JSON") from error

    def _answer(self, item: dict[str, Any]) -> Answer:
        if item.get("error") is not None:
            return self._error(item["error"])
        if "result" not in item:
            raise TransportError(f"{self._name} answered with something that is not JSON-RPC")
        return item["result"]

    def _error(self, error: Any) -> RpcError:
        code = error.get("code") if isinstance(error, dict) else None
        message = str(error.get("message", "")) if isinstance(error, dict) else shown(error)
        lower = message.lower()
        limited = code in _LIMIT_CODES or any(word in lower for word in _LIMIT_WORDS)
        pruned = not limited and any(word in lower for word in _STATE_WORDS)
        late = not limited and any(word in lower for word in _LATE_WORDS)
        text = _one_line(self.transport.endpoint.scrub(message)) or "an error"
        return RpcError(
            f"{self._name} answered: {text} (code {shown(code)})",
            transient=limited or (not pruned and code in (-32603, -32000)),
            lacks_state=pruned or late,
            no_method=code == -32601,
        )

    @property
    def _name(self) -> str:
        return str(self.transport.endpoint)

    @staticmethod
    def _message(request: RpcRequest, number: int) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "method": request.method, "params": request.params}


def _one_line(text: str) -> str:
    return shortened(one_line(" ".join(text.split())), 160)
