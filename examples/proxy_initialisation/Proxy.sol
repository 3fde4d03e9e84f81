// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Forwards every call to an implementation and keeps the storage. Implementation and administrator live in the slots
/// of ERC-1967, away from the implementation's own variables.
contract Proxy {
    /// keccak256("eip1967.proxy.implementation") - 1
    bytes32 private constant IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    /// keccak256("eip1967.proxy.admin") - 1
    bytes32 private constant ADMIN = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    event Upgraded(address indexed implementation);

    error NotAdministrator(address caller);

    constructor(address implementation) {
        _write(ADMIN, msg.sender);
        _write(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
    }

    function upgradeTo(address implementation) external {
        if (msg.sender != _read(ADMIN)) revert NotAdministrator(msg.sender);
        _write(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
    }

    fallback() external payable {
        address implementation = _read(IMPLEMENTATION);
        assembly ("memory-safe") {
            let memoryPointer := mload(0x40)
            calldatacopy(memoryPointer, 0, calldatasize())
            let success := delegatecall(gas(), implementation, memoryPointer, calldatasize(), 0, 0)
            returndatacopy(memoryPointer, 0, returndatasize())
            if iszero(success) { revert(memoryPointer, returndatasize()) }
            return(memoryPointer, returndatasize())
        }
    }

    function _read(bytes32 slot) private view returns (address value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function _write(bytes32 slot, address value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}
