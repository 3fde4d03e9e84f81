// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// A batch is final once three items were added whose running hash somebody repeats.
contract BatchOfHashes {
    bytes32 private running;
    uint256 public items;
    bool private isFinal;

    function add(uint256 item) external {
        require(item > 1e6, "too small");
        running = keccak256(abi.encode(running, item));
        items++;
    }

    function clear() external {
        running = 0;
        items = 0;
    }

    function finish(uint256 first, uint256 second, uint256 third) external {
        require(items == 3, "three items");
        bytes32 hash = keccak256(abi.encode(bytes32(0), first));
        hash = keccak256(abi.encode(hash, second));
        require(keccak256(abi.encode(hash, third)) == running, "other items");
        require(second > first && third == first + second, "order");
        isFinal = true;
    }

    function echidna_batch_is_not_final() external view returns (bool) {
        return !isFinal;
    }
}
