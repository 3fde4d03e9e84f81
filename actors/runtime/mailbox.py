"""Bounded mailboxes, the only way into an actor.

Messages of one sender are received in the order they were sent; there is no order between senders. Two ways in, and
the sender chooses by what the message is worth: `send` waits for room (commands: nothing is lost, a slow actor slows
its senders), `post` never waits and drops the message when there is no room (telemetry: dropped messages are counted).
"""

from __future__ import annotations

import math
from typing import Any, Generic, Protocol, TypeVar

import msgspec
import trio

from actors.runtime.errors import AskTimeout, MailboxClosed

Message = TypeVar("Message")
Sent = TypeVar("Sent", contravariant=True)
Value = TypeVar("Value")


class MailboxStatistics(msgspec.Struct, frozen=True):
    """`waiting` messages of at most `capacity`, the most there ever were, and counts since the start."""

    name: str
    capacity: int
    waiting: int
    peak: int
    received: int
    dropped: int


class Outbox(Protocol[Sent]):
    """The sender's end of a mailbox."""

    async def send(self, message: Sent) -> None:
        """Wait for room, then deliver. Raises `MailboxClosed` when the actor has ended."""


class Mailbox(Generic[Message]):
    """A queue of at most `capacity` messages for one receiving actor."""

    def __init__(self, name: str, capacity: int) -> None:
        self.name = name
        self._capacity = capacity
        self._into, self._out_of = trio.open_memory_channel[Message](capacity)
        self._received = 0
        self._dropped = 0

    async def send(self, message: Message) -> None:
        """Wait for room, then deliver. Raises `MailboxClosed` when the actor has ended."""
        try:
            await self._into.send(message)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise MailboxClosed(f"{self.name} has ended") from error

    def post(self, message: Message) -> bool:
        """Deliver at once, or drop the message and count it. Never waits, never raises; returns whether it was
        delivered.
        """
        try:
            self._into.send_nowait(message)
        except (trio.WouldBlock, trio.BrokenResourceError, trio.ClosedResourceError):
            self._dropped += 1
            return False
        return True

    async def receive(self) -> Message:
        """The next message. Raises `MailboxClosed` after `close`, once everything delivered was received."""
        try:
            message = await self._out_of.receive()
        except (trio.EndOfChannel, trio.ClosedResourceError) as error:
            raise MailboxClosed(f"{self.name} has ended") from error
        self._received += 1
        return message

    def receive_nowait(self, limit: int) -> list[Message]:
        """Up to `limit` messages that are there already."""
        taken: list[Message] = []
        try:
            while len(taken) < limit:
                taken.append(self._out_of.receive_nowait())
        except (trio.WouldBlock, trio.EndOfChannel, trio.ClosedResourceError):
            pass
        self._received += len(taken)
        return taken

    def close(self) -> None:
        """Refuse further messages. What was delivered can still be received."""
        self._into.close()

    def abandon(self) -> None:
        """Stop receiving: senders that wait get `MailboxClosed`."""
        self._into.close()
        self._out_of.close()

    def statistics(self) -> MailboxStatistics:
        channel = self._into.statistics()
        return MailboxStatistics(
            self.name,
            self._capacity,
            channel.current_buffer_used,
            getattr(channel, "peak_buffer_used", channel.current_buffer_used),
            self._received,
            self._dropped,
        )


class Reply(Generic[Value]):
    """A one-shot answer: one side sets it once, the other waits for it. Setting it again has no effect."""

    def __init__(self) -> None:
        self._event = trio.Event()
        self._value: Value | None = None
        self._error: Exception | None = None

    def set(self, value: Value) -> None:
        if not self._event.is_set():
            self._value = value
            self._event.set()

    def fail(self, error: Exception) -> None:
        if not self._event.is_set():
            self._error = error
            self._event.set()

    async def get(self) -> Value:
        """Wait for the answer; raises what the actor answered with `fail`."""
        await self._event.wait()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]  # `set` stored a Value, which may be None itself


class Ask(Generic[Message, Value]):
    """A message with the slot for its answer. The asker may go away at any time; the actor finishes all the same."""

    __slots__ = ("message", "reply")

    def __init__(self, message: Message) -> None:
        self.message = message
        self.reply: Reply[Value] = Reply()


async def ask(mailbox: Mailbox[Any], message: Any, seconds: float = math.inf) -> Any:
    """Send `message` in an `Ask` and wait for the answer, `seconds` in all, queueing included.

    Raises `AskTimeout` past the deadline (the actor may still act on the message), `MailboxClosed` when the actor has
    ended, and whatever the actor answers with `Reply.fail`. Actors wrap this in methods with proper types.
    """
    return await deliver(mailbox, Ask(message), seconds)


async def deliver(mailbox: Mailbox[Any], envelope: Ask[Any, Any], seconds: float = math.inf) -> Any:
    """The same for an envelope that the asker made. Raises as `ask`."""
    with trio.move_on_after(seconds):
        await mailbox.send(envelope)
        return await envelope.reply.get()
    raise AskTimeout(f"{mailbox.name} did not answer within {seconds:g} s")
