"""Commands to a campaign about functions and values, and the workers that hear them."""

from __future__ import annotations

import pytest
import trio

from actors.runtime.errors import (
    CommandRejected,
)
from actors.steering.commands import (
    AddDictionaryValues,
    AddTemplate,
    ArgumentLimit,
    CallRequest,
    ClampFunction,
    ClearFunctions,
    ClearPriorities,
    DictionaryValue,
    ExcludeFunction,
    InjectSequence,
    PrioritizeFunction,
    WeighFunction,
)
from simulator.transaction import address_bytes
from simulator.worker.commands import AddWords, Focus, Inject, Replay, SetClamps, SetTemplates
from tests.support.fake_worker import FakeScript, FakeSpawner
from tests.support.steered import ENDLESS, POKE, endless, sent, slowly, steer


@pytest.mark.requirement("004-30", "004-33")
async def test_functions_are_prioritized_excluded_weighed_and_cleared(autojump_clock, nursery, make_assembly):
    """A set that grows; every change reaches every worker; clearing tells how many there were."""
    spawner, assembly = endless(nursery, make_assembly)
    ask = assembly.campaign.ask

    async def script() -> None:
        poke = await ask(PrioritizeFunction("poke(uint256)"))
        assert (poke.matched, poke.prioritized) == (1, ("poke(uint256)",))
        again = await ask(PrioritizeFunction("poke(uint256)"))
        assert again.prioritized == ("poke(uint256)",)
        both = await ask(PrioritizeFunction("Fake.give(address,uint256)"))
        assert both.prioritized == ("poke(uint256)", "Fake.give(address,uint256)")
        assert await ask(ClearPriorities()) == 2
        assert await ask(ClearPriorities()) == 0
        assert (await ask(ExcludeFunction("give"))).excluded == ("give",)
        assert (await ask(WeighFunction("poke", 2.5))).weights == (("poke", 2.5),)
        await trio.sleep(0.5)
        for worker in (0, 1):
            commands = sent(spawner, Focus, worker)
            assert commands[2].prioritized == both.prioritized
            assert commands[-1] == Focus((), ("give",), (("poke", 2.5),))
        assert await ask(ClearFunctions()) == 2
        await trio.sleep(0.5)
        assert sent(spawner, Focus)[-1] == Focus()

    await steer(assembly, script)


async def test_an_unknown_function_is_accepted_and_reported_as_without_effect(autojump_clock, nursery, make_assembly):
    """It may belong to a contract that is created later."""
    _, assembly = endless(nursery, make_assembly)

    async def script() -> None:
        answer = await assembly.campaign.ask(PrioritizeFunction("mint(uint8)"))
        assert (answer.matched, answer.prioritized) == (0, ("mint(uint8)",))

    await steer(assembly, script)


async def test_a_restarted_worker_is_told_everything_again(autojump_clock, nursery, make_assembly):
    """Focus, clamps, dictionary, templates and injected sequences reach the replacement before it works."""
    spawner = FakeSpawner(nursery, lambda _, n: FakeScript(falsify={}, crash_after=100_000 if n == 0 else None), slowly)
    assembly = make_assembly(spawner, ENDLESS)
    ask = assembly.campaign.ask

    async def script() -> None:
        await ask(PrioritizeFunction("poke(uint256)"))
        await ask(AddTemplate((CallRequest("poke(?)"),)))
        await ask(ClampFunction("poke", (ArgumentLimit("0", ("1",)),)))
        await ask(AddDictionaryValues((DictionaryValue("77"),)))
        await ask(InjectSequence((POKE,)))
        with trio.fail_after(600):
            while len(spawner.brains) < 2 or not spawner.brains[1].calls:  # noqa: ASYNC110  # virtual time
                await trio.sleep(0.1)
        kinds = [type(command) for command in spawner.brains[1].commands]
        assert kinds[1:7] == [Focus, SetClamps, AddWords, SetTemplates, Inject, Replay]
        assert assembly.campaign.statistics().steering.unanswered == 0

    await steer(assembly, script)


async def test_dictionary_values_are_read_by_type_or_by_looks(autojump_clock, nursery, make_assembly):
    """Numbers come with their neighbours; what is no value of its type rejects all of them."""
    spawner, assembly = endless(nursery, make_assembly, workers=1)
    ask = assembly.campaign.ask
    values = ("1 ether", "0x" + "ab" * 20, "0x" + "cd" * 32, '"hello"', "0x1234", "-5")

    async def script() -> None:
        assert await ask(AddDictionaryValues(tuple(map(DictionaryValue, values)))) == 6
        assert await ask(AddDictionaryValues((DictionaryValue("0x01020304", "bytes4"),))) == 1
        for wrong in (DictionaryValue("300", "uint8"), DictionaryValue("?"), DictionaryValue("[1]", "uint256[]")):
            with pytest.raises(CommandRejected, match="value 2"):
                await ask(AddDictionaryValues((DictionaryValue("1"), wrong)))
        with pytest.raises(CommandRejected):
            await ask(AddDictionaryValues(()))
        await trio.sleep(0.5)
        addition, typed = sent(spawner, AddWords)
        numbers = {int.from_bytes(word, "big") for word in addition.numbers}
        assert {10**18, 10**18 + 1, 2**256 - 5} <= numbers
        assert addition.addresses == (b"\xab" * 20,)
        assert b"\xcd" * 32 in addition.fixed_bytes
        assert set(addition.blobs) >= {b"hello", b"\x12\x34"}
        assert typed.fixed_bytes[0] == b"\x01\x02\x03\x04" + bytes(28)

    await steer(assembly, script)


async def test_arguments_and_senders_are_bound_listed_and_cleared(autojump_clock, nursery, make_assembly):
    """Every worker is told, replacements too; a second clamp of a function takes the place of the first."""
    spawner, assembly = endless(nursery, make_assembly)
    wide = ArgumentLimit("0", minimum="5", maximum="1e18")
    senders = (address_bytes(0x55),)

    async def script() -> None:
        campaign = assembly.campaign
        await campaign.ask(ClampFunction("poke", (ArgumentLimit("0", ("1",)),)))
        answer = await campaign.ask(ClampFunction("poke", (wide,), senders))
        assert answer.functions == ("Fake.poke(uint256)", "Other.poke(uint256)")
        assert campaign.steering.clamps == answer.clamps == (ClampFunction("poke", (wide,), senders),)
        assert campaign.state().steering.clamps == answer.clamps
        await campaign.ask(ClampFunction("give", (ArgumentLimit("0", ("0x1", "0x2")),)))
        await trio.sleep(0.5)
        for worker in (0, 1):
            poke, give = sent(spawner, SetClamps, worker)[-1].clamps
            (bound,) = poke.arguments
            assert (poke.senders, int.from_bytes(bound.low), int.from_bytes(bound.high)) == (senders, 5, 10**18)
            assert [int.from_bytes(value) for value in give.arguments[0].values] == [1, 2]
        assert (await campaign.ask(ClampFunction("give"))).clamps == (ClampFunction("poke", (wide,), senders),)
        assert await campaign.ask(ClearFunctions()) == 1
        await trio.sleep(0.5)
        assert sent(spawner, SetClamps)[-1] == SetClamps()
        assert campaign.steering.clamps == ()

    await steer(assembly, script)
    assert [event.detail for event in assembly.named("Steered") if event.command == "clamp"] == [
        "poke: 0",
        "poke: 0, senders",
        "give: 0",
        "give: nothing",
    ]


@pytest.mark.parametrize(
    ("clamp", "message"),
    [
        (ClampFunction("pok", (ArgumentLimit("0", ("1",)),)), "no function 'pok'; known are Fake.poke"),
        (ClampFunction("poke", (ArgumentLimit("amount", ("1",)),)), "no argument 'amount'; can be bound: 0"),
        (ClampFunction("poke", (ArgumentLimit("0", ("-1",)),)), "argument 0: at position 0: uint256"),
        (ClampFunction("poke", (ArgumentLimit("0", ("?",)),)), "a wildcard is no value"),
        (ClampFunction("poke", (ArgumentLimit("0", minimum="9", maximum="3"),)), "min 9 is above max 3"),
        (ClampFunction("poke", (ArgumentLimit("0", ("1",), "3"),)), "exclude each other"),
        (ClampFunction("poke", (ArgumentLimit("0"),)), "neither values nor a range"),
        (ClampFunction("give", (ArgumentLimit("0", minimum="3"),)), "a range needs a number, and this is address"),
        (ClampFunction("poke", (), (b"short",)), "a sender is an address of 20 bytes"),
    ],
)
async def test_a_clamp_that_fits_nothing_is_refused(autojump_clock, nursery, make_assembly, clamp, message):
    """With the place and the allowed form; nothing is bound then."""
    spawner, assembly = endless(nursery, make_assembly)

    async def script() -> None:
        with pytest.raises(CommandRejected, match=message):
            await assembly.campaign.ask(clamp)
        assert not assembly.campaign.steering.clamps
        assert not sent(spawner, SetClamps)

    await steer(assembly, script)
