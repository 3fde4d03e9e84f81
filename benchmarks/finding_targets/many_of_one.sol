// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Many calls of one function, which all others undo.
contract ManyOfOne {
    uint256 private count;
    bool private opened;

    function add() external { count++; }
    function a() external { count = 0; }
    function b() external { count = 0; }
    function c() external { count = 0; }
    function d() external { count = 0; }
    function open() external { if (count >= 12) opened = true; count = 0; }

    function echidna_not_done() external view returns (bool) { return !opened; }
}
