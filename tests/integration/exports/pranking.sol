// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.0;

interface Cheatcodes {
    function prank(address sender) external;
    function startPrank(address sender) external;
    function stopPrank() external;
}

contract Counter {
    address public last;

    function count() public {
        last = msg.sender;
    }
}

/// Acts under pranks of both kinds, as harnesses with several actors do.
contract Findings {
    Cheatcodes private constant CHEATCODES = Cheatcodes(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bool private constant BROKEN = true;

    Counter private counter = new Counter();

    constructor() {
        CHEATCODES.prank(address(0x1234));
        counter.count();
    }

    function deposit() public {
        require(msg.sender == address(0x10000) && msg.sender.code.length == 0);
        CHEATCODES.startPrank(address(0x5678));
        counter.count();
        CHEATCODES.stopPrank();
    }

    function echidna_actor() public view returns (bool) {
        return !BROKEN || counter.last() != address(0x5678);
    }
}
