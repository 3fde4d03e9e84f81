// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: a contract that is created while fuzzing is called directly (`allContracts`).
contract Child {
    bool public poked;

    function poke(uint32 code) external {
        if (code == 60_013) poked = true;
    }
}

contract CreatedChild {
    Child private child;

    function create() external {
        if (address(child) == address(0)) child = new Child();
    }

    function echidna_child_is_not_poked() public view returns (bool) {
        return address(child) == address(0) || !child.poked();
    }
}
