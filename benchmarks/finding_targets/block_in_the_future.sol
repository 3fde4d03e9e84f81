// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An argument that counts from the block's number.
contract BlockInTheFuture {
    uint256 private due;
    bool private hit;

    function plan(uint256 block_) external { require(block_ == block.number + 4_242, "another block"); due = block_; }
    function act() external { require(due != 0 && block.number == due + 1, "not now"); hit = true; }

    function echidna_not_hit() external view returns (bool) { return !hit; }
}
