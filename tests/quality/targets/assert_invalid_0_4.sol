// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.4.26;

/// Ability: a failed assertion of an old compiler is the opcode 0xfe.
contract AssertInvalid {
    function check(uint16 number) public pure {
        assert(number != 40961);
    }
}
