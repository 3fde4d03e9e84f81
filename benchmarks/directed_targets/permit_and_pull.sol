// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An allowance by signature, then a pull of the exact rest after it has expired.
contract PermitAndPull {
    address private constant OWNER = 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf;
    mapping(address => uint256) private allowance;
    mapping(address => uint256) private expires;
    bool private broken;

    function permit(uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        require(deadline > block.timestamp + 1 hours, "deadline");
        bytes32 hash = keccak256(abi.encodePacked("permit", msg.sender, amount, deadline));
        require(ecrecover(hash, v, r, s) == OWNER, "signature");
        allowance[msg.sender] = amount;
        expires[msg.sender] = deadline;
    }

    function pull(uint256 amount) external {
        require(allowance[msg.sender] >= amount && amount > 5e17, "allowance");
        allowance[msg.sender] -= amount;
        if (allowance[msg.sender] == 0 && block.timestamp > expires[msg.sender]) broken = true;
    }

    function echidna_allowances_are_kept() external view returns (bool) {
        return !broken;
    }
}
