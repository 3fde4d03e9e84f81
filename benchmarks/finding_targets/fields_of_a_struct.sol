// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Fields of one packed struct, set one by one.
contract FieldsOfAStruct {
    struct Config {
        uint32 fee;
        uint64 cap;
        bool open;
        uint96 floor;
    }

    Config private config;

    function setFee(uint32 fee) external { config.fee = fee; }
    function setCap(uint64 cap) external { config.cap = cap; }
    function setOpen(bool open) external { config.open = open; }
    function setFloor(uint96 floor) external { config.floor = floor; }

    function echidna_not_hit() external view returns (bool) {
        return !(config.fee == 70_707 && config.cap == 8_800_880_088 && config.open && config.floor == 31_415_926);
    }
}
