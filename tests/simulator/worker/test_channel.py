"""The worker's side of its pipes."""

import os
from collections.abc import Iterator

import pytest

from simulator.errors import FrameError
from simulator.worker.channel import Channel
from simulator.worker.commands import CloseTest, Fuzz, Interrupt, Stop
from simulator.worker.framing import encode_frame


@pytest.fixture
def pipe() -> Iterator[tuple[Channel, int]]:
    reader, commands = os.pipe()
    replies, writer = os.pipe()
    yield Channel(reader, writer), commands
    for descriptor in (reader, replies, writer):
        os.close(descriptor)


def test_commands_come_in_order_and_the_end_is_none(pipe):
    """Frames that arrive together are handed out one by one."""
    channel, commands = pipe
    os.write(commands, encode_frame(Fuzz(1)) + encode_frame(CloseTest(2)))
    os.close(commands)
    assert [channel.next_command() for _ in range(3)] == [Fuzz(1), CloseTest(2), None]


def test_an_interrupt_lasts_until_the_work_ends(pipe):
    """The first that asks must not swallow it: shrinking, solving and fuzzing all look."""
    channel, commands = pipe
    assert not channel.is_interrupted()
    os.write(commands, encode_frame(Interrupt()) + encode_frame(Fuzz(5)))
    assert channel.is_interrupted()
    assert channel.is_interrupted()
    channel.end_work()
    assert not channel.is_interrupted()
    assert channel.next_command() == Fuzz(5)
    os.close(commands)


def test_work_that_was_given_ahead_comes_after_everything_else(pipe):
    """What others found is known before the next piece begins, and waiting for its turn it pauses nothing."""
    channel, commands = pipe
    ahead = Fuzz(5, ahead=True)
    os.write(commands, encode_frame(ahead) + encode_frame(CloseTest(2)))
    assert not channel.is_interrupted()
    assert [channel.next_command() for _ in range(2)] == [CloseTest(2), ahead]
    os.write(commands, encode_frame(ahead))
    assert not channel.is_interrupted()
    assert not channel.has_waiting()
    os.close(commands)


def test_none_of_two_pieces_given_ahead_is_lost(pipe):
    """The second arrives while a command is obeyed between the current piece and the first."""
    channel, commands = pipe
    pieces = [Fuzz(5, ahead=True), Fuzz(7, ahead=True)]
    os.write(commands, encode_frame(pieces[0]) + encode_frame(CloseTest(2)))
    assert channel.next_command() == CloseTest(2)
    os.write(commands, encode_frame(pieces[1]))
    assert not channel.is_interrupted()
    assert [channel.next_command() for _ in range(2)] == pieces
    os.close(commands)


def test_an_interrupt_is_meant_for_the_work_that_was_given_ahead_too(pipe):
    """It is still there when the current work has ended, and comes before the next."""
    channel, commands = pipe
    os.write(commands, encode_frame(Fuzz(5, ahead=True)) + encode_frame(Interrupt()))
    assert channel.is_interrupted()
    channel.end_work()
    assert channel.next_command() == Interrupt()
    assert channel.take_ahead() == Fuzz(5, ahead=True)
    assert channel.take_ahead() is None
    os.close(commands)


def test_a_stop_interrupts_and_stays_for_its_turn(pipe):
    """Stop ends the current work and then the worker."""
    channel, commands = pipe
    os.write(commands, encode_frame(Stop()))
    assert channel.is_interrupted()
    channel.end_work()
    assert channel.next_command() == Stop()
    os.close(commands)


def test_what_is_no_frame_is_a_typed_error(pipe):
    """The stream cannot be trusted after that."""
    channel, commands = pipe
    os.write(commands, b"\x05\x00\x00\x00hello")
    with pytest.raises(FrameError):
        channel.next_command()
    os.close(commands)
