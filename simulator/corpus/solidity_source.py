"""Pieces of Solidity source for generated tests: literals of ABI values, calls, helper functions."""

from __future__ import annotations

from typing import Any, assert_never

from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import checksum_address
from simulator.abi.types import (
    AbiType,
    Address,
    Array,
    Bool,
    Bytes,
    FixedBytes,
    FunctionType,
    Int,
    String,
    Tuple,
    UInt,
)
from simulator.errors import AbiError

HELPERS = """\
    /// Runs the creation code at the address the contract had in the campaign.
    function _deploy(address at, bytes memory creationCode, uint256 value) private {
        vm.etch(at, creationCode);
        vm.setNonce(at, 1);
        (bool created, bytes memory runtimeCode) = _send(DEPLOYER, at, value, gasleft(), "");
        require(created, "the constructor reverts");
        vm.etch(at, runtimeCode);
    }

    function _wait(uint256 secondsPassed, uint256 blocksPassed) private {
        _time += secondsPassed;
        _block += blocksPassed;
        vm.warp(_time);
        vm.roll(_block);
    }

    function _send(address sender, address to, uint256 value, uint256 gasLimit, bytes memory data)
        private
        returns (bool success, bytes memory result)
    {
        if (sender.balance < value) vm.deal(sender, value);
        vm.prank(sender, sender);
        uint256 gasBefore = gasleft();
        (success, result) = to.call{value: value, gas: gasLimit}(data);
        _usedAllGas = gasBefore - gasleft() >= gasLimit;
    }
"""

FAILURE_CHECK = """
    /// An invalid opcode uses all gas and returns nothing; the other forms are told by logs and return data.
    function _assertionFailed(bool success, bytes memory result) private returns (bool) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++) {
            if (logs[i].topics.length > 0 && _isFailureEvent(logs[i].topics[0])) return true;
        }
        if (success) return false;
        if (result.length == 0) return _usedAllGas;
        if (keccak256(result) == keccak256(abi.encodeWithSignature("Panic(uint256)", uint256(1)))) return true;
        return _startsWithAssertionFailed(result);
    }

    function _isFailureEvent(bytes32 topic) private pure returns (bool) {
        return $EVENTS;
    }

    /// `Error(string)`: selector, offset and length are 68 bytes, then comes the text.
    function _startsWithAssertionFailed(bytes memory result) private pure returns (bool) {
        bytes memory expected = "assertion failed";
        if (result.length < 68 + expected.length) return false;
        if (result[0] != 0x08 || result[1] != 0xc3 || result[2] != 0x79 || result[3] != 0xa0) return false;
        for (uint256 i = 0; i < expected.length; i++) {
            if (result[68 + i] != expected[i]) return false;
        }
        return true;
    }
"""


def call_expression(abi: ContractAbi | None, data: bytes) -> str:
    """An expression for the calldata: `abi.encodeWithSignature(...)` when all arguments have a literal form and give
    exactly these bytes, else a hex literal."""
    function = abi.by_selector.get(data[:4]) if abi is not None else None
    if function is not None:
        try:
            values = function.decode_call(data)
            exact = function.encode_call(values) == data
        except AbiError:
            exact, values = False, ()
        literals = [
            solidity_literal(member, value) for member, value in zip(function.inputs.members, values, strict=exact)
        ]
        if exact and None not in literals:
            return (
                f"abi.encodeWithSignature({', '.join([string_literal(function.signature), *filter(None, literals)])})"
            )
    return f'hex"{data.hex()}"'


def solidity_literal(abi_type: AbiType, value: Any) -> str | None:
    """The value as an expression of exactly that type; None for arrays, tuples and function pointers, which have no
    literal. Strings that are not plain ASCII become `bytes`, which encode alike."""
    match abi_type:
        case UInt() | Int():
            return f"{abi_type.canonical}({value})"
        case Address():
            return checksum_address(value)
        case Bool():
            return "true" if value else "false"
        case FixedBytes(size):
            return f'bytes{size}(hex"{value.hex()}")'
        case Bytes():
            return f'bytes(hex"{value.hex()}")'
        case String():
            if value.isascii() and value.isprintable():
                return f"string({string_literal(value)})"
            return f'bytes(hex"{value.encode("utf-8", "surrogateescape").hex()}")'
        case FunctionType() | Array() | Tuple():
            return None
        case _:
            assert_never(abi_type)


def string_literal(text: str) -> str:
    """Printable text in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
