// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// What stands exactly at the threshold is sound, and is closed all the same.
contract AtTheThreshold {
    uint256 public price = 1_500;
    mapping(address => uint256) public collateral;
    mapping(address => uint256) public debt;
    bool private wrong;

    function setPrice(uint256 next) external { require(next >= 500 && next <= 5_000, "price"); price = next; }
    function lock(uint256 amount) external { require(amount > 1e9 && amount < 1e27, "amount"); collateral[msg.sender] += amount; }
    function draw(uint256 amount) external {
        require(amount > 1e9, "dust");
        debt[msg.sender] += amount;
        require(debt[msg.sender] * 100 < collateral[msg.sender] * price * 70 / 1_000, "limit");
    }
    function close(address who) external {
        uint256 owed = debt[who] * 100;
        uint256 bound = collateral[who] * price * 80 / 1_000;
        require(owed > 0 && owed >= bound, "sound");
        if (owed == bound) wrong = true;
        collateral[who] = 0;
        debt[who] = 0;
    }

    function echidna_no_sound_position_closed() external view returns (bool) { return !wrong; }
}
