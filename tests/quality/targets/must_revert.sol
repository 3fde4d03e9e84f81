// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: `echidna_revert_` tests. The call must revert, and does so only until the door is open.
contract MustRevert {
    bool private open;

    function unlock(uint16 code) external {
        if (code == 4711) open = true;
    }

    function echidna_revert_door_is_shut() public view {
        require(open, "shut");
    }
}
