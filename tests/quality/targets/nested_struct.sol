// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Ability: values deep inside nested structs, next to a dynamic member, are reached.
contract NestedStruct {
    struct Leg {
        address token;
        int64 amount;
    }

    struct Order {
        uint32 nonce;
        bytes note;
        Leg[2] legs;
    }

    bool private hit;

    function submit(Order calldata order) external {
        if (order.nonce != 90_001) return;
        if (order.note.length == 0) return;
        if (order.legs[1].amount == -4_500) hit = true;
    }

    function echidna_not_hit() public view returns (bool) {
        return !hit;
    }
}
