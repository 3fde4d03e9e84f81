// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An order that is filled by parts: the same struct with a number beside it.
contract StructAndPart {
    struct Order { address maker; address taker; uint128 amount; uint64 price; uint64 salt; }
    enum State { None, Placed, Filled, Cancelled }

    mapping(bytes32 => State) private states;
    mapping(bytes32 => uint256) private filled;
    bool private exceeded;

    function key(Order calldata order) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(order.maker, order.taker, order.amount, order.price, order.salt));
    }
    function place(Order calldata order) external {
        require(order.maker == msg.sender && order.amount > 0 && order.price > 0, "maker");
        require(states[key(order)] == State.None, "known");
        states[key(order)] = State.Placed;
    }
    function fill(Order calldata order, uint128 part) external {
        bytes32 id = key(order);
        require(states[id] == State.Placed && part > 0, "placed");
        filled[id] += part;
        if (filled[id] > order.amount) exceeded = true;
        if (filled[id] == order.amount) states[id] = State.Filled;
    }
    function cancel(Order calldata order) external {
        require(order.maker == msg.sender, "maker");
        states[key(order)] = State.Cancelled;
    }

    function echidna_not_exceeded() external view returns (bool) { return !exceeded; }
}
