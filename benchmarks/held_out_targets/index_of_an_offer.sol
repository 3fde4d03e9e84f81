// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

// An offer that its maker cancels after it was taken.
contract IndexOfAnOffer {
    struct Offer { address maker; address taker; uint256 price; bool open; }
    Offer[] private offers;
    uint256 private refunded;

    function make(uint256 price) external { require(price > 1e12); offers.push(Offer(msg.sender, address(0), price, true)); }
    function take(uint256 index, uint256 price) external {
        Offer storage offer = offers[index];
        require(offer.open && offer.taker == address(0) && offer.maker != msg.sender, "open");
        require(price == offer.price, "price");
        offer.taker = msg.sender;
    }
    function cancel(uint256 index) external {
        Offer storage offer = offers[index];
        require(offer.maker == msg.sender && offer.open, "maker");
        offer.open = false;
        if (offer.taker != address(0)) refunded += offer.price;
    }

    function echidna_no_refund_of_taken() external view returns (bool) { return refunded == 0; }
}
