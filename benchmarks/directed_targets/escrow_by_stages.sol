// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// Stages with exact amounts, two parties and a tracking code that is stored as a hash.
contract EscrowByStages {
    enum Stage { Empty, Agreed, Funded, Shipped, Released }

    Stage public stage;
    address public buyer;
    address public seller;
    uint256 public price;
    bytes32 private tracking;
    uint256 public releases;

    function agree(address other, uint256 amount) external {
        require(stage == Stage.Empty && other != msg.sender, "stage");
        require(amount > 1e15 && amount < 1e18 && amount % 1_000 == 777, "price");
        (seller, buyer, price, stage) = (msg.sender, other, amount, Stage.Agreed);
    }

    function fund() external payable {
        require(stage == Stage.Agreed && msg.sender == buyer, "stage");
        require(msg.value == price + price / 100, "price and fee");
        stage = Stage.Funded;
    }

    function ship(uint256 parcel, uint256 weight) external {
        require(stage == Stage.Funded && msg.sender == seller, "stage");
        tracking = keccak256(abi.encode(parcel, weight, buyer));
        stage = Stage.Shipped;
    }

    function accept(uint256 parcel, uint256 weight) external {
        require(stage == Stage.Shipped && msg.sender == buyer, "stage");
        require(keccak256(abi.encode(parcel, weight, msg.sender)) == tracking && weight > 500, "parcel");
        releases++;
        // The stage should be Released.
    }

    function giveUp() external {
        stage = Stage.Empty;
    }

    function echidna_never_released_twice() external view returns (bool) {
        return releases < 2;
    }
}
