"""Fixtures of a Foundry test: values that it wants tried for arguments of a name."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.abi.codec import decode, encode
from simulator.abi.contract import ContractAbi, Function
from simulator.abi.types import AbiType, Array, UInt, Value
from simulator.errors import AbiError
from simulator.fuzz.targets.foundry_targets import Call
from simulator.modes.foundry import FIXTURE

MAX_FIXTURES = 256
NO_PARAMETERS = "Table test should have at least one parameter"
NO_FIXTURES = "Table test should have fixtures defined"


@dataclass(frozen=True)
class Fixtures:
    """Values with their type, by the normalized name of the argument."""

    values: dict[str, tuple[AbiType, tuple[Value, ...]]]

    def rows(self, function: Function) -> list[bytes] | str:
        """Calldata for each row of a table test, or why it has none."""
        if not function.inputs.members:
            return NO_PARAMETERS
        if len(function.inputs.names) != len(function.inputs.members):
            return NO_FIXTURES
        columns = [self.values.get(_normal(each)) for each in function.inputs.names]
        if not all(column is not None and column[1] for column in columns):
            return NO_FIXTURES
        lengths = [len(column[1]) for column in columns if column is not None]
        if len(set(lengths)) > 1:
            return f"Table test has fixtures of different lengths: {', '.join(map(str, lengths))}"
        return [
            function.encode_call([column[1][row] for column in columns if column is not None])
            for row in range(lengths[0])
        ]


def read_fixtures(abi: ContractAbi, call: Call) -> Fixtures:
    """Read the values of a test's fixture functions and arrays. Those that revert or return no list are left out."""
    found: dict[str, tuple[AbiType, tuple[Value, ...]]] = {}
    for function in abi.functions:
        if function.name.startswith(FIXTURE) and len(function.outputs.members) == 1:
            read = _read(function, call)
            if read is not None:
                found[_normal(function.name[len(FIXTURE) :])] = read
    return Fixtures(found)


def _read(function: Function, call: Call) -> tuple[AbiType, tuple[Value, ...]] | None:
    output = function.outputs.members[0]
    try:
        if not function.inputs.members and isinstance(output, Array):
            data = call(function.selector)
            values = decode((output,), data, strict=False)[0] if data is not None else ()
            return output.element, tuple(values)  # type: ignore[arg-type]
        if list(function.inputs.members) == [UInt(256)]:
            return output, tuple(_elements(function, output, call))
    except AbiError:
        return None
    return None


def _elements(function: Function, output: AbiType, call: Call) -> list[Value]:
    """Return the elements of a public array, up to the index where its getter reverts."""
    found: list[Value] = []
    for index in range(MAX_FIXTURES):
        data = call(function.selector + encode((UInt(256),), (index,)))
        if data is None:
            break
        found.append(decode((output,), data, strict=False)[0])
    return found


def _normal(name: str) -> str:
    return name.strip("_").lower()
