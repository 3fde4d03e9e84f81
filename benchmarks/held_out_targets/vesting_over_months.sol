// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A cliff of ninety days, and claims that must not come too soon.
contract VestingOverMonths {
    uint256 private start;
    uint256 private lastClaim;
    uint256 private claims;

    function begin() external { require(start == 0); start = block.timestamp; }
    function claim() external {
        require(start != 0 && block.timestamp > start + 20 days, "cliff");
        require(block.timestamp > lastClaim + 5 days, "too soon");
        lastClaim = block.timestamp;
        claims++;
    }

    function echidna_few_claims() external view returns (bool) { return claims < 4; }
}
