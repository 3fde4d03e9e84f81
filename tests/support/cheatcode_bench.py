"""A machine with cheatcodes for tests: calls that go straight to them, and contracts in Solidity that use them."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.abi.codec import decode, encode
from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import selector
from simulator.abi.types import Value
from simulator.cheatcodes import Cheatcodes
from simulator.cheatcodes.core.registry import interface, members_of
from simulator.evm.addresses import CHEATCODE_ADDRESS
from simulator.evm.machine import Machine
from simulator.evm.results import Result
from simulator.evm.tracer import Tracer
from simulator.project import Project

SENDER = 0x10000
TARGET = 0x7A29E7
GAS = 12_500_000


@dataclass
class Bench:
    """A machine, its cheatcodes, and what they warned of."""

    machine: Machine
    cheatcodes: Cheatcodes
    project: Project
    warnings: list[str] = field(default_factory=list)
    abi: ContractAbi | None = None
    trace: Tracer = field(default_factory=Tracer)

    def raw(self, signature: str, *arguments: Value) -> Result:
        """Call a cheatcode as a transaction of its own."""
        types = members_of(signature[signature.index("(") :])
        data = selector(signature) + encode(types, arguments)
        return self.machine.transact(sender=SENDER, to=CHEATCODE_ADDRESS, data=data, gas=GAS)

    def vm(self, signature: str, *arguments: Value) -> Value | tuple[Value, ...] | None:
        """The values that a cheatcode returns: none, one, or a tuple."""
        result = self.raw(signature, *arguments)
        assert result.success, reason(result)
        values = decode(members_of(interface()[signature]), result.output)
        return values[0] if len(values) == 1 else values or None

    def deploy(self, name: str) -> None:
        """Deploy a contract of the project at TARGET; its functions are then what `call` calls."""
        contract = next(each for each in self.project.contracts if each.name == name)
        self.abi = ContractAbi.from_json(contract.abi)
        result = self.machine.transact(
            sender=SENDER, to=None, data=contract.creation_code, gas=10 * GAS, create_address=TARGET
        )
        assert result.success, reason(result)

    def call(self, name: str, *arguments: Value, value: int = 0, trace: bool = False) -> Result:
        """Call a function of the deployed contract."""
        assert self.abi is not None
        (function,) = self.abi.overloads(name)
        self.trace = Tracer()
        self.machine.tracer = self.trace if trace else None
        try:
            data = function.encode_call(arguments)
            return self.machine.transact(sender=SENDER, to=TARGET, data=data, value=value, gas=GAS)
        finally:
            self.machine.tracer = None

    def get(self, name: str, *arguments: Value) -> Value:
        """The one value that a successful call of a function returns."""
        (value,) = self.values(name, *arguments)
        return value

    def values(self, name: str, *arguments: Value) -> tuple[Value, ...]:
        """Everything that a successful call of a function returns."""
        assert self.abi is not None
        result = self.call(name, *arguments)
        assert result.success, reason(result)
        return self.abi.overloads(name)[0].decode_result(result.output)


def reason(result: Result) -> str:
    """The text of `Error(string)` or forge's `CheatcodeError(string)`, else the output as hex."""
    if result.output[:4] in (selector("Error(string)"), selector("CheatcodeError(string)")):
        return str(decode(members_of("(string)"), result.output[4:])[0])
    return result.output.hex()
