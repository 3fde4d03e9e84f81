// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Three counters that their writers fill, and one that reads them.
contract ThreeCounters {
    uint256 private a;
    uint256 private b;
    uint256 private c;
    bool private done;

    function addA() external { a++; }
    function addB() external { b++; if (a < b) b = 0; }
    function addC() external { c++; if (b < c) c = 0; }
    function finish() external { if (a == 9 && b == 8 && c == 7) done = true; }
    function noise(uint256 value) external { if (value % 2 == 0) a = 0; }

    function echidna_not_done() external view returns (bool) { return !done; }
}
