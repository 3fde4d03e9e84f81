"""Codes of a machine: what is decoded once, and what runs all the same."""

from __future__ import annotations

from simulator.evm.assembly import assemble
from simulator.evm.code_store import CoverageIdentity
from simulator.evm.host import Host
from simulator.evm.kernel.layout.code import CREATION
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine

SENDER = 0xAAAA
# Stores the word behind the code, which is the constructor's argument.
PUSHED = "32 @size 0 CODECOPY 0 MLOAD 0 SSTORE STOP".replace("@size", "{}")
CREATING = assemble(PUSHED.format(len(assemble(PUSHED.format(99)))))


def argument(number: int) -> bytes:
    return number.to_bytes(32, "big")


def creating(kernel: Kernel) -> Machine:
    return Machine(kernel, Host, identify=lambda *_: CoverageIdentity("Created", len(CREATING)))


def test_codes_that_differ_in_their_arguments_share_instructions_and_keep_their_own_arguments(kernel: Kernel) -> None:
    """Constructors read their arguments behind the code; all count as one code's coverage."""
    machine = creating(kernel)
    created = [machine.transact(sender=SENDER, to=None, data=CREATING + argument(n), gas=10**6) for n in (7, 8)]
    assert [machine.get_storage(each.created or 0, 0) for each in created] == [7, 8]
    first, second = (machine.code_store.find(CREATING + argument(n), CREATION) for n in (7, 8))
    assert first.instructions == second.instructions
    assert first.id == second.id
    assert [machine.code_store.data_of(each) for each in (first, second)] == [CREATING + argument(n) for n in (7, 8)]


def test_what_was_shared_is_forgotten_with_the_rest(kernel: Kernel) -> None:
    """Behind a recycled store the same codes are decoded anew."""
    machine = creating(kernel)
    machine.seal()
    mark = machine.mark()
    for number in (7, 8, 7):
        created = machine.transact(sender=SENDER, to=None, data=CREATING + argument(number), gas=10**6).created
        assert machine.get_storage(created or 0, 0) == number
        machine.rollback(mark)
        machine.recycle()
    assert not machine.code_store.find(CREATING + argument(7), CREATION)
