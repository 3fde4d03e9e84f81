// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A remainder of a stored address.
contract RemainderOfAnAddress {
    address private owner;
    uint256 private factor;

    function setOwner(address value) external { owner = value; }
    function setFactor(uint256 value) external { factor = value; }

    function echidna_not_hit() external view returns (bool) {
        return uint160(owner) % 10_000 != 7_777 || factor * 3 != uint160(owner);
    }
}
