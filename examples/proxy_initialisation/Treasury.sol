// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// First version: an owner and funds. It runs behind a proxy, so `initialise` takes the constructor's place.
contract Treasury {
    uint8 public version;
    address public owner;
    uint256 public funds;

    error AlreadyInitialised(uint8 version);
    error NotOwner(address caller);

    function initialise(address owner_) external {
        if (version != 0) revert AlreadyInitialised(version);
        version = 1;
        owner = owner_;
    }

    function put() external payable {
        funds += msg.value;
    }

    function take(uint256 amount) external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        funds -= amount;
        payable(msg.sender).transfer(amount);
    }
}

/// Second version: adds a limit per withdrawal and an initialiser for it.
contract LimitedTreasury is Treasury {
    uint256 public limit;

    error OverLimit(uint256 amount, uint256 limit);

    /// PLANTED BUG: the guard asks whether this version was initialised, not whether the caller may do it. Between the
    /// upgrade and the owner's next transaction anybody can call it, and become the owner.
    function initialiseLimit(address owner_, uint256 limit_) external {
        if (version == 2) revert AlreadyInitialised(version);
        version = 2;
        owner = owner_;
        limit = limit_;
    }

    function takeLimited(uint256 amount) external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        if (amount > limit) revert OverLimit(amount, limit);
        funds -= amount;
        payable(msg.sender).transfer(amount);
    }
}
