// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Proxy} from "./Proxy.sol";
import {LimitedTreasury, Treasury} from "./Treasury.sol";

/// A stranger who may send any call data to the treasury.
contract Stranger {
    receive() external payable {}

    function initialise(Treasury treasury, address owner) external {
        treasury.initialise(owner);
    }

    function initialiseLimit(LimitedTreasury treasury, address owner, uint256 limit) external {
        treasury.initialiseLimit(owner, limit);
    }

    function take(Treasury treasury, uint256 amount) external {
        treasury.take(amount);
    }
}

/// The harness is administrator and owner, and deploys, initialises and upgrades as a careful project would.
contract TreasuryHarness {
    Proxy private immutable proxy;
    LimitedTreasury private immutable treasury;
    Stranger private immutable stranger = new Stranger();

    constructor() payable {
        proxy = new Proxy(address(new Treasury()));
        treasury = LimitedTreasury(address(proxy));
        treasury.initialise(address(this));
        treasury.put{value: msg.value}();
    }

    receive() external payable {}

    function upgrade() external {
        proxy.upgradeTo(address(new LimitedTreasury()));
    }

    function ownerTakes(uint256 amount) external {
        treasury.take(amount);
    }

    function strangerInitialises() external {
        stranger.initialise(treasury, address(stranger));
    }

    function strangerInitialisesLimit(uint256 limit) external {
        stranger.initialiseLimit(treasury, address(stranger), limit);
    }

    function strangerTakes(uint256 amount) external {
        stranger.take(treasury, amount);
    }

    /// Ownership never passes to somebody to whom the owner did not give it.
    function echidna_owner_stays() public view returns (bool) {
        return treasury.owner() == address(this);
    }

    /// The stranger gets nothing.
    function echidna_stranger_gets_nothing() public view returns (bool) {
        return address(stranger).balance == 0;
    }

    /// The books follow the ether.
    function echidna_funds_follow_ether() public view returns (bool) {
        return address(treasury).balance == treasury.funds();
    }
}
