"""Mailboxes: order, overflow, asks with deadlines."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from actors.runtime.errors import AskTimeout, MailboxClosed
from actors.runtime.mailbox import Ask, Mailbox, Reply, ask


async def test_messages_arrive_in_the_order_they_were_sent():
    """One sender's messages are received first in, first out."""
    mailbox: Mailbox[int] = Mailbox("numbers", 10)
    for number in range(5):
        await mailbox.send(number)
    assert [await mailbox.receive() for _ in range(5)] == [0, 1, 2, 3, 4]


async def test_commands_wait_for_room(nursery):
    """`send` blocks while the mailbox is full and loses nothing."""
    mailbox: Mailbox[int] = Mailbox("numbers", 1)
    await mailbox.send(1)
    sent = trio.Event()

    async def sender() -> None:
        await mailbox.send(2)
        sent.set()

    nursery.start_soon(sender)
    await wait_all_tasks_blocked()
    assert not sent.is_set()
    assert await mailbox.receive() == 1
    await sent.wait()
    assert await mailbox.receive() == 2


async def test_telemetry_is_dropped_and_counted():
    """`post` never waits; what finds no room is counted as dropped."""
    mailbox: Mailbox[int] = Mailbox("numbers", 2)
    assert [mailbox.post(number) for number in range(5)] == [True, True, False, False, False]
    statistics = mailbox.statistics()
    assert (statistics.waiting, statistics.peak, statistics.dropped) == (2, 2, 3)


async def test_a_closed_mailbox_refuses_and_gives_out_the_rest():
    """After `close` what was delivered is still received, then `MailboxClosed` is raised at both ends."""
    mailbox: Mailbox[int] = Mailbox("numbers", 2)
    await mailbox.send(1)
    mailbox.close()
    with pytest.raises(MailboxClosed):
        await mailbox.send(2)
    assert not mailbox.post(3)
    assert await mailbox.receive() == 1
    with pytest.raises(MailboxClosed):
        await mailbox.receive()


async def test_waiting_senders_hear_of_an_abandoned_mailbox(nursery):
    """A sender that waits for room is told when the actor has ended."""
    mailbox: Mailbox[int] = Mailbox("numbers", 0)
    heard = trio.Event()

    async def sender() -> None:
        with pytest.raises(MailboxClosed):
            await mailbox.send(1)
        heard.set()

    nursery.start_soon(sender)
    await wait_all_tasks_blocked()
    mailbox.abandon()
    await heard.wait()


async def test_an_ask_is_answered(nursery):
    """The reply to an ask carries the actor's value."""
    mailbox: Mailbox[Ask[int, int]] = Mailbox("doubler", 1)

    async def doubler() -> None:
        envelope = await mailbox.receive()
        envelope.reply.set(2 * envelope.message)

    nursery.start_soon(doubler)
    assert await ask(mailbox, 21, seconds=1) == 42


async def test_the_deadline_of_an_ask_covers_queueing(autojump_clock):
    """An ask to an actor that never receives ends with `AskTimeout` at its deadline."""
    mailbox: Mailbox[Ask[int, int]] = Mailbox("deaf", 0)
    with pytest.raises(AskTimeout, match=r"deaf did not answer within 0\.1 s"):
        await ask(mailbox, 1, seconds=0.1)
    assert trio.current_time() == pytest.approx(0.1)


async def test_an_actor_finishes_although_the_asker_has_gone(autojump_clock, nursery):
    """The envelope stays in the mailbox; answering it has no effect and raises nothing."""
    mailbox: Mailbox[Ask[int, int]] = Mailbox("late", 1)
    with pytest.raises(AskTimeout):
        await ask(mailbox, 1, seconds=0.1)
    envelope = await mailbox.receive()
    envelope.reply.set(2)


async def test_a_reply_is_set_once():
    """The first value stands; a later failure or value is ignored."""
    reply: Reply[int] = Reply()
    reply.set(1)
    reply.set(2)
    reply.fail(ValueError())
    assert await reply.get() == 1
