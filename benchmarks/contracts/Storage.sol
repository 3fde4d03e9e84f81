// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Reads and writes many slots in each call: an array kept sorted, a ring of records, a linked list in mappings.
contract Storage {
    struct Record {
        address owner;
        uint64 time;
        uint256 amount;
        uint256 checksum;
    }

    uint256 private constant SIZE = 48;

    uint256[SIZE] public sorted;
    Record[SIZE] public ring;
    uint256 public head;
    mapping(uint256 node => uint256 next) public next;
    mapping(uint256 node => uint256 value) public valueOf;
    uint256 public nodes;
    uint256 public total;

    function insertSorted(uint256 value) external {
        uint256 place = SIZE - 1;
        if (value <= sorted[0]) return;
        uint256 index = 0;
        while (index < place && sorted[index + 1] < value) {
            sorted[index] = sorted[index + 1];
            index++;
        }
        sorted[index] = value;
    }

    function record(uint128 amount) external {
        Record storage place = ring[head % SIZE];
        total = total - place.amount + amount;
        place.owner = msg.sender;
        place.time = uint64(block.timestamp);
        place.amount = amount;
        place.checksum = uint256(amount) ^ uint160(msg.sender);
        head++;
    }

    function push(uint256 value) external {
        uint256 node = ++nodes;
        valueOf[node] = value;
        next[node] = next[0];
        next[0] = node;
    }

    function rotate(uint8 steps) external {
        uint256 node = next[0];
        for (uint256 step = 0; step < steps % 24 && next[node] != 0; step++) {
            uint256 following = next[node];
            (valueOf[node], valueOf[following]) = (valueOf[following], valueOf[node]);
            node = following;
        }
    }

    function clear(uint8 first, uint8 count) external {
        for (uint256 index = 0; index < count % 16; index++) {
            uint256 place = (uint256(first) + index) % SIZE;
            total -= ring[place].amount;
            delete ring[place];
        }
    }

    function echidna_checksums_match() public view returns (bool) {
        for (uint256 index = 0; index < 8; index++) {
            Record storage place = ring[index];
            if (place.checksum != place.amount ^ uint160(place.owner)) return false;
        }
        return true;
    }
}
