// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a payable function is known as such, and a constant becomes the amount of ether.
contract ExactValue {
    bool private hit;

    function pay() external payable {
        if (msg.value == 1.337 ether) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
