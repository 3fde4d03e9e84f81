// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A pot that everybody pays into, until its keeper closes it, and takes their share out of. It has no bug.
contract Pot {
    address public immutable keeper;
    uint256 public total;
    bool public closed;
    mapping(address account => uint256 amount) public shareOf;

    constructor(address keeper_) {
        keeper = keeper_;
    }

    function pay(uint96 amount) public {
        require(!closed, "closed");
        unchecked {
            total += amount;
            shareOf[msg.sender] += amount;
        }
    }

    function take(uint256 amount) public {
        require(amount <= shareOf[msg.sender], "more than your share");
        unchecked {
            total -= amount;
            shareOf[msg.sender] -= amount;
        }
    }

    function close() public {
        require(msg.sender == keeper, "not the keeper");
        closed = true;
    }
}
