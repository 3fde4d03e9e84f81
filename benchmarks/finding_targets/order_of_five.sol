// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Five steps in their order; every other call begins anew.
contract OrderOfFive {
    uint256 private step;

    function first() external { step = 1; }
    function second() external { step = step == 1 ? 2 : 0; }
    function third() external { step = step == 2 ? 3 : 0; }
    function fourth() external { step = step == 3 ? 4 : 0; }
    function fifth() external { step = step == 4 ? 5 : 0; }
    function sixth() external { step = step == 5 ? 6 : 0; }
    function seventh() external { step = step == 6 ? 7 : 0; }
    function reset() external { step = 0; }
    function clear() external { step = 0; }

    function echidna_not_done() external view returns (bool) { return step != 7; }
}
