// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface LaterVm {
    struct PotentialRevert {
        address reverter;
        bool partialMatch;
        bytes revertData;
    }

    function expectCreate(bytes calldata code, address deployer) external;
    function expectCreate2(bytes calldata code, address deployer) external;
    function assumeNoRevert() external;
    function assumeNoRevert(PotentialRevert calldata revertReason) external;
    function startSnapshotGas(string calldata name) external;
    function stopSnapshotGas() external returns (uint256);
    function snapshotGasLastCall(string calldata name) external returns (uint256);
    function cool(address account) external;
    function coolSlot(address account, bytes32 slot) external;
    function warmSlot(address account, bytes32 slot) external;
}

contract Product {
    uint256 public size = 3;

    function fails(uint256 value) external {
        size = value;
        if (value > 1) revert("too much");
    }
}

contract Factory {
    function make(bool rolledBack) external {
        new Product();
        require(!rolledBack);
    }
}

/// Creations that are expected, reverts that are assumed away, gas that is measured.
contract Later {
    LaterVm constant vm = LaterVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Product product = new Product();
    Factory factory = new Factory();
    uint256 stored = 7;

    function created() external {
        vm.expectCreate(type(Product).runtimeCode, address(this));
        new Product();
    }

    function createdSalted() external {
        vm.expectCreate2(type(Product).runtimeCode, address(this));
        new Product{salt: 0}();
    }

    function createdDeeper() external {
        vm.expectCreate(type(Product).runtimeCode, address(factory));
        factory.make(false);
    }

    function createdAndRolledBack() external {
        vm.expectCreate(type(Product).runtimeCode, address(factory));
        try factory.make(true) {} catch {}
    }

    function notCreated() external {
        vm.expectCreate(type(Product).runtimeCode, address(this));
    }

    function createdByOther() external {
        vm.expectCreate(type(Product).runtimeCode, address(1));
        new Product();
    }

    function createdOtherwise() external {
        vm.expectCreate2(type(Product).runtimeCode, address(this));
        new Product();
    }

    function createdOnce() external {
        vm.expectCreate(type(Product).runtimeCode, address(this));
        vm.expectCreate(type(Product).runtimeCode, address(this));
        new Product();
    }

    function assumed(uint256 value) external {
        vm.assumeNoRevert();
        product.fails(value);
    }

    function assumedOnce(uint256 value) external {
        vm.assumeNoRevert();
        product.fails(0);
        product.fails(value);
    }

    function assumedThis(uint256 value, bytes calldata data) external {
        vm.assumeNoRevert(LaterVm.PotentialRevert(address(product), false, data));
        product.fails(value);
    }

    function section() external returns (uint256 measured, uint256 whole) {
        uint256 before = gasleft();
        vm.startSnapshotGas("section");
        for (uint256 index = 0; index < 10; index++) stored = index;
        measured = vm.stopSnapshotGas();
        whole = before - gasleft();
    }

    function lastCall() external returns (uint256 measured, uint256 around) {
        uint256 before = gasleft();
        product.size();
        around = before - gasleft();
        measured = vm.snapshotGasLastCall("size");
    }

    function temperatures() external returns (uint256 cold, uint256 coldSlot, uint256 warm) {
        product.size();
        vm.cool(address(product));
        cold = _cost();
        vm.coolSlot(address(product), 0);
        coldSlot = _cost();
        vm.coolSlot(address(product), 0);
        vm.warmSlot(address(product), 0);
        warm = _cost();
    }

    function _cost() internal view returns (uint256) {
        uint256 before = gasleft();
        product.size();
        return before - gasleft();
    }
}
