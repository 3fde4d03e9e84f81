// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface RareVm {
    function pauseGasMetering() external;
    function resumeGasMetering() external;
    function setArbitraryStorage(address account) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
}

contract Unmetered {
    RareVm private constant vm = RareVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 public sum;

    function work() public {
        for (uint256 i; i < 20; i++) sum += i;
    }

    function used(bool paused) public returns (uint256) {
        uint256 before = gasleft();
        if (paused) vm.pauseGasMetering();
        work();
        this.work();
        if (paused) vm.resumeGasMetering();
        return before - gasleft();
    }

    function shown() public returns (uint256) {
        vm.pauseGasMetering();
        uint256 before = gasleft();
        work();
        return before - gasleft();
    }

    function limited() public returns (bool) {
        vm.pauseGasMetering();
        this.work{gas: 3000}();
        vm.resumeGasMetering();
        return true;
    }

    function pauseAndRevert() public {
        vm.pauseGasMetering();
        revert();
    }

    function usedAfterRevert() public returns (uint256) {
        try this.pauseAndRevert() {} catch {}
        uint256 before = gasleft();
        work();
        return before - gasleft();
    }

    function arbitrary() public returns (uint256 own, bytes32 other) {
        sum = 7;
        vm.setArbitraryStorage(address(this));
        return (sum, vm.load(address(this), bytes32(uint256(99))));
    }
}
