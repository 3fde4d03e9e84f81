// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface Common {
    function prank(address) external;
    function startPrank(address) external;
    function startPrank(address, address) external;
    function stopPrank() external;
    function warp(uint256) external;
    function roll(uint256) external;
    function deal(address, uint256) external;
    function assume(bool) external;
    function assertTrue(bool) external;
    function assertFalse(bool) external;
    function assertEq(uint256, uint256) external;
    function assertLe(uint256, uint256) external;
    function assertLt(int256, int256) external;
    function expectRevert() external;
}

contract Witness {
    function who() external view returns (address, address) { return (msg.sender, tx.origin); }
}

/// Does what the steps say, and tells of everything that they can change.
contract Steps {
    Common private constant vm = Common(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Witness private immutable witness = new Witness();

    function run(uint8[] calldata steps) public returns (bytes memory seen) {
        for (uint256 i = 0; i < steps.length; i++) {
            uint256 step = steps[i];
            address actor = address(uint160(0xA11CE + i % 3));
            if (step == 0) vm.prank(actor);
            else if (step == 1) vm.startPrank(actor);
            else if (step == 2) vm.stopPrank();
            else if (step == 3) vm.warp(1000 + i);
            else if (step == 4) vm.roll(2000 + i);
            else if (step == 5) vm.deal(actor, 3000 + i);
            else if (step == 6) vm.assume(i != 5);
            else if (step == 7) vm.assertTrue(i != 6);
            else if (step == 8) vm.assertFalse(i == 6);
            else if (step == 9) vm.assertEq(i, i == 6 ? 0 : i);
            else if (step == 10) vm.assertLe(i, 6);
            else if (step == 11) vm.assertLt(-1, int256(i) - 1);
            else if (step == 12) vm.startPrank(actor, actor);
            else if (step == 13) revert("asked for");
            else if (step == 14) {
                try this.run(steps[i + 1:]) returns (bytes memory inner) { seen = abi.encode(seen, inner); }
                catch (bytes memory error) { seen = abi.encode(seen, error); }
            } else {
                (address sender, address origin) = witness.who();
                seen = abi.encode(seen, sender, origin);
            }
            seen = abi.encode(seen, block.timestamp, block.number, actor.balance);
        }
    }
}
