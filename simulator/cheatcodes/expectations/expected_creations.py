"""`expectCreate`, `expectCreate2`: a contract that must have been created when the transaction ends."""

from __future__ import annotations

from simulator.abi.text import format_raw
from simulator.cheatcodes.core.errors import ExpectationFailedError
from simulator.cheatcodes.core.frames import EndedFrame
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.core.state import ExpectedCreation


def count_creation(vm: Session, ended: EndedFrame) -> None:
    """A creation meets the first expectation that it fits and that none has met; what reverts later counts too."""
    if not vm.state.expected_creations or not ended.is_creation or not ended.succeeded or ended.depth == 0:
        return
    code, deployer = vm.machine.get_code(ended.code_address), vm.machine.context.address
    for expected in vm.state.expected_creations:
        fits = (expected.code, expected.deployer, expected.is_salted) == (code, deployer, ended.is_salted)
        if fits and not vm.seen_calls.get(expected.id):
            vm.seen_calls[expected.id] = 1
            return


def settle_creations(vm: Session) -> None:
    """The transaction has ended. Raises `ExpectationFailedError` for the first expectation that was not met."""
    for expected in vm.state.expected_creations:
        if not vm.seen_calls.pop(expected.id, 0):
            opcode = "CREATE2" if expected.is_salted else "CREATE"
            raise ExpectationFailedError(
                f"expected {opcode} call by address {expected.deployer:#042x} for bytecode "
                f"{format_raw(expected.code)} but not found"
            )


def _expect(vm: Session, code: bytes, deployer: int, *, is_salted: bool) -> None:
    new = ExpectedCreation(vm.next_id(), code, deployer, is_salted)
    vm.change(expected_creations=(*vm.state.expected_creations, new))


@cheatcode("expectCreate(bytes,address)")
def expect_create(vm: Session, code: bytes, deployer: int) -> None:
    _expect(vm, code, deployer, is_salted=False)


@cheatcode("expectCreate2(bytes,address)")
def expect_create2(vm: Session, code: bytes, deployer: int) -> None:
    _expect(vm, code, deployer, is_salted=True)
