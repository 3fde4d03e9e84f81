"""A second opinion on counterexamples: the target deployed on revm, which shares no code with Monotreme's own EVM,
with Echidna's rules for deployment, delays, balances and test results written down once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyrevm
import pytest

from simulator.abi.hashing import keccak256
from simulator.project import Contract, Project
from simulator.transaction import Transaction

DEPLOYER = "0x" + (0x30000).to_bytes(20, "big").hex()
PROPERTY_SENDER = "0x" + (0x10000).to_bytes(20, "big").hex()
MAIN_ADDRESS = "0x00a329c0648769a73afac7f9381e08fb43dbea72"
FIRST_LIBRARY_ADDRESS = 0xFF
START_TIMESTAMP = 1524785992
START_BLOCK = 4370000
GAS = 12_500_000
RICH = 1 << 128

ASSERTION_PANIC = keccak256(b"Panic(uint256)")[:4] + (1).to_bytes(32, "big")
ERROR_SELECTOR = keccak256(b"Error(string)")[:4]

account_info: Any = pyrevm.AccountInfo  # its stub lacks the balance that the class takes


@dataclass(frozen=True)
class Outcome:
    """How a call ended: `output` is the returned or revert data, `halt` names an exceptional halt, `topics` are the
    first topics of the logs of a successful call."""

    success: bool
    output: bytes = b""
    halt: str = ""
    topics: tuple[bytes, ...] = ()


class RevmTarget:
    """One deployed main contract and the clock that the transactions' delays move."""

    def __init__(self, project: Project, contract: Contract, value: int = 0) -> None:
        self._project = project
        self._contract = contract
        self._evm = pyrevm.EVM(gas_limit=2**63)
        self._timestamp = START_TIMESTAMP
        self._block = START_BLOCK
        self._libraries: dict[str, int] = {}
        self._advance(0, 0)
        self._deploy(MAIN_ADDRESS, self._linked(contract), value)

    def play(self, sequence: Sequence[Transaction]) -> Outcome:
        """Execute a sequence; the outcome is the last transaction's."""
        outcome = Outcome(success=True)
        for transaction in sequence:
            self._advance(transaction.seconds, transaction.blocks)
            if transaction.is_wait:
                continue
            to = "0x" + transaction.to.hex()
            outcome = self._call("0x" + transaction.sender.hex(), to, transaction.data, transaction.wei)
        return outcome

    def property_holds(self, name: str) -> bool:
        """Evaluate `echidna_...()` and discard what it wrote."""
        checkpoint = self._evm.snapshot()
        outcome = self._call(PROPERTY_SENDER, MAIN_ADDRESS, keccak256(f"{name}()".encode())[:4], 0)
        if outcome.success:
            self._evm.revert(checkpoint)
        if name.startswith("echidna_revert_"):
            return not outcome.success
        return outcome.success and outcome.output == (1).to_bytes(32, "big")

    def assertion_failed(self, outcome: Outcome) -> bool:
        """Return whether a call of the main contract failed an assertion in one of the four ways that Echidna knows."""
        if outcome.halt:
            return outcome.halt == "InvalidFEOpcode"
        reason = outcome.output[68:] if outcome.output[:4] == ERROR_SELECTOR else b""
        events = {keccak256(signature.encode()) for signature in _event_signatures(self._contract, "AssertionFailed")}
        return (
            (not outcome.success and outcome.output == ASSERTION_PANIC)
            or reason.startswith(b"assertion failed")
            or not events.isdisjoint(outcome.topics)
        )

    def _deploy(self, address: str, creation_code: bytes, value: int) -> None:
        """Run the constructor as code of `address` and put what it returns in its place: revm itself deploys only to
        addresses that follow from the deployer's nonce. Nonce 1 is what EIP-161 gives to a contract being created."""
        self._evm.insert_account_info(address, account_info(balance=0, nonce=1, code=creation_code))
        outcome = self._call(DEPLOYER, address, b"", value)
        assert outcome.success, f"the constructor of {self._contract.name} fails: {outcome}"
        account = self._evm.basic(address)
        runtime = account_info(balance=account.balance, nonce=account.nonce, code=outcome.output)
        self._evm.insert_account_info(address, runtime)

    def _linked(self, contract: Contract) -> bytes:
        code = bytearray(contract.creation_code)
        for link in contract.creation_links:
            code[link.offset : link.offset + 20] = self._library(link.library).to_bytes(20, "big")
        return bytes(code)

    def _library(self, full_name: str) -> int:
        if full_name not in self._libraries:
            library = next(c for c in self._project.contracts if c.full_name == full_name)
            self._libraries[full_name] = address = FIRST_LIBRARY_ADDRESS + len(self._libraries)
            self._deploy("0x" + address.to_bytes(20, "big").hex(), self._linked(library), 0)
        return self._libraries[full_name]

    def _advance(self, seconds: int, blocks: int) -> None:
        self._timestamp += seconds
        self._block += blocks
        environment = pyrevm.BlockEnv(number=self._block, timestamp=self._timestamp, gas_limit=2**63)
        self._evm.set_block_env(environment)

    def _call(self, sender: str, to: str, data: bytes, value: int) -> Outcome:
        """The sender's balance is topped up first, because Echidna neither checks nor reduces it."""
        self._evm.set_balance(sender, RICH)
        try:
            output = self._evm.message_call(caller=sender, to=to, calldata=data, value=value, gas=GAS)
        except RuntimeError as error:
            return self._failure(str(error))
        logs = self._evm.result.logs if self._evm.result else []
        topics = tuple(bytes.fromhex(log.topics[0][2:]) for log in logs if log.topics)
        return Outcome(success=True, output=bytes(output), topics=topics)

    def _failure(self, message: str) -> Outcome:
        result = self._evm.result
        if result is not None and result.is_halt:
            return Outcome(success=False, halt=result.reason)
        return Outcome(success=False, output=bytes.fromhex(message.partition("output: 0x")[2].partition(" ")[0]))


def _event_signatures(contract: Contract, name: str) -> list[str]:
    events = [entry for entry in contract.abi if entry["type"] == "event" and entry["name"] == name]
    return [f"{name}({','.join(_canonical(parameter) for parameter in event['inputs'])})" for event in events]


def _canonical(parameter: dict[str, Any]) -> str:
    kind: str = parameter["type"]
    if not kind.startswith("tuple"):
        return kind
    return "(" + ",".join(_canonical(member) for member in parameter["components"]) + ")" + kind.removeprefix("tuple")


@pytest.fixture
def revm_target() -> type[RevmTarget]:
    return RevmTarget
