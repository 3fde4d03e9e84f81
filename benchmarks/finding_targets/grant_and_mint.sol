// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A role, a pause that ends, and a mint of an exact amount.
contract GrantAndMint {
    address private immutable root = msg.sender;
    mapping(address => uint256) private roles;
    bool private paused = true;
    uint256 private minted;

    function grant(address to, uint256 role) external {
        require(msg.sender == root || roles[msg.sender] & 1 != 0, "root");
        roles[to] |= role;
    }
    function unpause() external { require(roles[msg.sender] & 4 != 0, "pauser"); paused = false; }
    function pause() external { paused = true; }
    function mint(uint256 amount) external {
        require(!paused, "paused");
        require(roles[msg.sender] & 8 != 0, "minter");
        require(amount == 5_550_123, "amount");
        minted = amount;
    }

    function echidna_no_forged_mint() external view returns (bool) { return minted == 0; }
}
