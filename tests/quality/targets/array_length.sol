// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: dynamic arrays of every small length are generated.
contract ArrayLength {
    bool private hit;

    function submit(uint256[] calldata numbers) external {
        if (numbers.length == 5) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
