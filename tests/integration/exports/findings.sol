// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

interface Cheatcodes {
    function assertEq(uint256 left, uint256 right) external pure;
}

library Doubling {
    function twice(uint256 amount) public pure returns (uint256) {
        return amount * 2;
    }
}

contract Helper {
    uint256 public immutable createdAt = block.number;
}

/// One fault of every kind that an exported test can show. All are mended where BROKEN is false.
contract Findings {
    Cheatcodes private constant CHEATCODES = Cheatcodes(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bool private constant BROKEN = true;
    bool public constant IS_TEST = true;

    bool private prepared;
    uint8 private level = 255;
    uint256 private deposits;

    event AssertionFailed(string text);

    address private immutable created;

    constructor() payable {
        created = address(this);
        require(msg.value == 5 && msg.sender == address(0x30000) && Helper(address(0x77)).createdAt() == 4370000);
    }

    function setUp() public {
        prepared = msg.sender == address(0x30000);
    }

    function deposit() public payable {
        deposits += msg.value;
    }

    function panics() public pure {
        assert(!BROKEN);
    }

    function compares() public pure {
        CHEATCODES.assertEq(Doubling.twice(BROKEN ? 2 : 1), 2);
    }

    function reports() public {
        if (BROKEN) emit AssertionFailed("reported");
    }

    function overflows() public {
        if (BROKEN) level += 1;
    }

    function destroys() public {
        if (BROKEN) selfdestruct(payable(msg.sender));
    }

    function echidna_world() public view returns (bool) {
        return !(BROKEN && chainIsRight() && accountsAreRight());
    }

    function echidna_revert_shut() public view {
        require(BROKEN && deposits > 0);
    }

    function echidna_best() public view returns (int256) {
        return BROKEN ? int256(deposits) : int256(-1);
    }

    function chainIsRight() private view returns (bool) {
        return block.chainid == 1 && block.number == 4370000 + 3 && block.timestamp == 1524785992 + 60
            && block.prevrandao == 42069 && block.gaslimit == 0xFFFFFFFF && block.basefee == 0
            && block.coinbase == address(0) && tx.gasprice == 7;
    }

    function accountsAreRight() private view returns (bool) {
        return prepared && deposits == 11 && created == address(this)
            && address(this).balance == 16 && msg.sender == address(0x10000) && tx.origin == msg.sender
            && msg.sender.balance == 0xFFFFFFFF && address(0x20000).balance == 0xFFFFFFFF
            && address(0xFF).code.length > 0;
    }
}
