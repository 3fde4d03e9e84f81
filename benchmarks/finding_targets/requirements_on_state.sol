// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Requirements on what earlier calls stored, in one that reverts until all hold.
contract RequirementsOnState {
    uint256 private rate;
    uint256 private limit;
    uint256 private owed;
    bool private hit;

    function setRate(uint256 value) external { rate = value / 3; }
    function setLimit(uint256 value) external { limit = value * 10; }
    function owe(uint128 value) external { owed += value; }
    function settle() external {
        require(rate == 314_159, "rate");
        require(limit == 2_718_280, "limit");
        require(owed == rate + limit, "owed");
        hit = true;
    }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
