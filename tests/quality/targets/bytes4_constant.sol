// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a bytesN constant (left-aligned in its word) reaches an argument.
contract Bytes4Constant {
    bool private hit;

    function dispatch(bytes4 tag) external {
        if (tag == 0x7e1fb00c) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
