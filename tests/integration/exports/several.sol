// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

bool constant BROKEN = true;

interface IStore {
    function total() external view returns (uint256);
}

/// Needs its arguments, its ether, the contract before it, and what was recorded before everything else.
contract First {
    IStore private constant STORE = IStore(address(0x5000));
    uint256 private immutable start;
    uint256 private kept;

    constructor(uint256 first) payable {
        require(STORE.total() == 40 && msg.value == 5 && block.number > 1);
        start = first;
    }

    function put(uint256 value) public {
        kept = value;
        assert(!BROKEN || value != start + 1);
    }

    function divide(uint256 value) public view returns (uint256) {
        return value / (BROKEN ? kept : kept + 1);
    }

    function property_small() public view returns (bool) {
        return !BROKEN || kept != start + 2;
    }
}

contract Second {
    First private immutable first;

    constructor(First other) {
        first = other;
    }

    function put(uint256 value) public {
        first.put(value);
    }

    function property_second() public view returns (bool) {
        return first.property_small();
    }
}
