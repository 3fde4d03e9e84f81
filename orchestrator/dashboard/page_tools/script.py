"""A forge script that makes the calls of a sequence to contracts that stand already."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simulator.abi.hashing import checksum_address
from simulator.corpus.call_reading import CallReader
from simulator.foundry_tests.literals import call_expression
from simulator.printable import one_line, shortened
from simulator.trace.address_book import AddressBook
from simulator.transaction import Sequence, address_int

MAX_COMMENT = 110
_TEMPLATE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2 <0.9.0;
pragma experimental ABIEncoderV2;

interface Vm {{
    function prank(address) external;
    function deal(address, uint256) external;
    function warp(uint256) external;
    function roll(uint256) external;
}}

// Written by Monotreme for {name}. It makes the calls and checks nothing.
// The addresses are those of the campaign: put in those of your deployment.
// To run it in a local simulation: forge script FILE --tc Sequence
contract Sequence {{
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
{constants}
    event Call(uint256 number, bool success, bytes output);

    function run() external {{
        uint256 time = block.timestamp;
        uint256 number = block.number;
        bool success;
        bytes memory output;
{body}
    }}
}}
"""


def render_script(name: str, sequence: Sequence, book: AddressBook) -> str:
    """The source. Compiles with solc 0.6.2 and later, and needs no library."""
    targets = dict.fromkeys(each.to for each in sequence if each.to)
    names = _names(tuple(targets), book)
    constants = "".join(
        f"    address payable private constant {names[each]} = payable({checksum_address(address_int(each))});\n"
        for each in targets
    )
    body = "\n".join(f"        {line}" for line in _body(sequence, names, book))
    return _TEMPLATE.format(name=_comment(name), constants=constants, body=body)


def _names(addresses: tuple[bytes, ...], book: AddressBook) -> dict[bytes, str]:
    names: dict[bytes, str] = {}
    for number, address in enumerate(addresses):
        plain = re.sub(r"[^A-Za-z0-9]+", "_", book.name(address)).strip("_").upper()[:40]
        is_taken = f"TARGET_{plain}" in names.values()
        names[address] = f"TARGET_{plain}_{number}" if is_taken else f"TARGET_{plain}"
    return names


def _body(sequence: Sequence, names: dict[bytes, str], book: AddressBook) -> Iterator[str]:
    reader = CallReader(book)
    for number, each in enumerate(sequence, 1):
        if each.seconds:
            yield f"vm.warp(time += {each.seconds});"
        if each.blocks:
            yield f"vm.roll(number += {each.blocks});"
        if each.is_wait:
            continue
        sender = checksum_address(address_int(each.sender))
        value = f"{{value: {each.wei}}}" if each.wei else ""
        yield f"// {number}. {_comment(reader.call_text(each.to, each.data))}"
        if each.wei:
            yield f"vm.deal({sender}, {each.wei});"
        yield f"vm.prank({sender});"
        yield f"(success, output) = {names[each.to]}.call{value}({call_expression(book.abi(each.to), each.data)});"
        yield f"emit Call({number}, success, output);"


def _comment(text: str) -> str:
    """Text that stays in its comment, whatever it holds."""
    return shortened(one_line(text), MAX_COMMENT)
