// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: an external library is deployed and linked. Its average overflows for large numbers and the assertion sees it.
library Average {
    function average(uint256 a, uint256 b) public pure returns (uint256) {
        unchecked {
            return (a + b) / 2;
        }
    }
}

contract LibraryCall {
    uint256 private a;
    uint256 private b;

    function set(uint256 first, uint256 second) external {
        a = first;
        b = second;
    }

    function echidna_average_is_not_below_both() public view returns (bool) {
        uint256 mean = Average.average(a, b);
        return mean >= a || mean >= b;
    }
}
