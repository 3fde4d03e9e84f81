// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Many contracts: a router over four pools, each over two tokens, priced by an oracle, charged by a delegated fee module.
contract PoolToken {
    address private immutable router;
    uint256 public totalSupply;
    mapping(address account => uint256 amount) public balanceOf;
    mapping(address owner => mapping(address spender => uint256 amount)) public allowance;

    constructor() {
        router = msg.sender;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == router, "only the router mints");
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function approve(address owner, address spender, uint256 amount) external {
        require(msg.sender == router, "only the router approves");
        allowance[owner][spender] = amount;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (msg.sender != from) allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

contract PriceOracle {
    mapping(address pool => uint256 price) public priceOf;

    function update(address pool, uint256 price) external {
        priceOf[pool] = (priceOf[pool] * 7 + price) / 8;
    }
}

/// Runs in the storage of a pool.
contract FeeModule {
    uint256 public fees;

    function charge(uint256 amount) external returns (uint256) {
        uint256 fee = (amount * 3) / 1000;
        fees += fee;
        return amount - fee;
    }
}

contract Pool {
    uint256 public fees;
    PoolToken public immutable first;
    PoolToken public immutable second;
    PriceOracle private immutable oracle;
    address private immutable module;

    constructor(PoolToken first_, PoolToken second_, PriceOracle oracle_, address module_) {
        (first, second, oracle, module) = (first_, second_, oracle_, module_);
    }

    function swap(address owner, uint256 amount, bool isFirst) external returns (uint256 bought) {
        (PoolToken paid, PoolToken wanted) = isFirst ? (first, second) : (second, first);
        uint256 mine = paid.balanceOf(address(this));
        uint256 other = wanted.balanceOf(address(this));
        (bool charged, bytes memory answer) = module.delegatecall(abi.encodeCall(FeeModule.charge, (amount)));
        require(charged, "fee module failed");
        uint256 left = abi.decode(answer, (uint256));
        bought = (other * left) / (mine + left + 1);
        paid.transferFrom(owner, address(this), amount);
        wanted.transferFrom(address(this), owner, bought);
        oracle.update(address(this), (mine * 1e9) / (other + 1));
    }
}

contract Nested {
    PoolToken[3] public tokens;
    Pool[4] public pools;
    PriceOracle public oracle = new PriceOracle();
    uint256 public swaps;

    constructor() {
        address module = address(new FeeModule());
        for (uint256 index = 0; index < 3; index++) {
            tokens[index] = new PoolToken();
        }
        for (uint256 index = 0; index < 4; index++) {
            pools[index] = new Pool(tokens[index % 3], tokens[(index + 1) % 3], oracle, module);
            tokens[index % 3].mint(address(pools[index]), 1e24);
            tokens[(index + 1) % 3].mint(address(pools[index]), 1e24);
        }
    }

    function fund(uint8 token, uint64 amount) external {
        tokens[token % 3].mint(msg.sender, amount);
    }

    function trade(uint8 pool, uint64 amount, bool isFirst) external returns (uint256) {
        return _trade(pools[pool % 4], amount, isFirst);
    }

    /// A chain of swaps, each spending what the one before bought. A failing one ends it.
    function route(uint8[4] calldata path, uint64 amount) external {
        uint256 held = amount;
        for (uint256 step = 0; step < 4; step++) {
            try this.routeStep(msg.sender, path[step] % 4, held, path[step] & 1 == 0) returns (uint256 bought) {
                held = bought;
            } catch {
                break;
            }
        }
    }

    function routeStep(address owner, uint256 pool, uint256 amount, bool isFirst) external returns (uint256) {
        require(msg.sender == address(this), "only from a route");
        return _swap(pools[pool], owner, amount, isFirst);
    }

    function prices() external view returns (uint256 sum) {
        for (uint256 index = 0; index < 4; index++) {
            sum += oracle.priceOf(address(pools[index]));
        }
    }

    function _trade(Pool pool, uint256 amount, bool isFirst) internal returns (uint256) {
        return _swap(pool, msg.sender, amount, isFirst);
    }

    function _swap(Pool pool, address owner, uint256 amount, bool isFirst) internal returns (uint256) {
        (isFirst ? pool.first() : pool.second()).approve(owner, address(pool), amount);
        swaps++;
        return pool.swap(owner, amount, isFirst);
    }

    function echidna_pools_keep_tokens() public view returns (bool) {
        for (uint256 index = 0; index < 4; index++) {
            if (pools[index].first().balanceOf(address(pools[index])) == 0) return false;
        }
        return true;
    }
}
