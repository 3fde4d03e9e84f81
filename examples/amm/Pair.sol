// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A constant-product market for two tokens. To keep the example small the pair does the book-keeping of both tokens
/// itself: reserves are numbers, and whoever calls is trusted to have paid `amountIn`. Amounts are `uint64`, so that no
/// product in this file can overflow.
contract Pair {
    uint256 private constant SCALE = 10_000;
    uint256 private constant FEE = 30; // 0.3 % of the amount paid in

    uint256[2] public reserve;
    uint256 public totalShares;
    mapping(address provider => uint256 shares) public sharesOf;

    event LiquidityAdded(address indexed provider, uint256 amount0, uint256 amount1, uint256 shares);
    event LiquidityRemoved(address indexed provider, uint256 amount0, uint256 amount1, uint256 shares);
    event Swapped(address indexed trader, bool zeroForOne, uint256 amountIn, uint256 amountOut);

    error NothingPaid();
    error ReserveTooSmall(uint256 available, uint256 wanted);
    error PriceTooGood(uint256 amountIn, uint256 amountOut);

    function addLiquidity(uint64 amount0, uint64 amount1) external returns (uint256 shares) {
        if (totalShares == 0) {
            shares = _squareRoot(uint256(amount0) * amount1);
        } else {
            uint256 byFirst = amount0 * totalShares / reserve[0];
            uint256 bySecond = amount1 * totalShares / reserve[1];
            shares = byFirst < bySecond ? byFirst : bySecond;
        }
        reserve[0] += amount0;
        reserve[1] += amount1;
        totalShares += shares;
        sharesOf[msg.sender] += shares;
        emit LiquidityAdded(msg.sender, amount0, amount1, shares);
    }

    function removeLiquidity(uint256 shares) external returns (uint256 amount0, uint256 amount1) {
        amount0 = reserve[0] * shares / totalShares;
        amount1 = reserve[1] * shares / totalShares;
        sharesOf[msg.sender] -= shares;
        totalShares -= shares;
        reserve[0] -= amount0;
        reserve[1] -= amount1;
        emit LiquidityRemoved(msg.sender, amount0, amount1, shares);
    }

    /// The trader pays `amountIn` of one token and names the `amountOut` of the other that they want.
    ///
    /// PLANTED BUG: the left side of the check is scaled by 10,000 twice, the right side by 1,000 twice. The check is a
    /// hundred times too weak, and one swap can take nearly everything. A real market lost its reserves to this line.
    function swap(bool zeroForOne, uint64 amountIn, uint64 amountOut) external {
        (uint256 paid, uint256 taken) = zeroForOne ? (0, 1) : (1, 0);
        if (amountIn == 0) revert NothingPaid();
        if (reserve[taken] < amountOut) revert ReserveTooSmall(reserve[taken], amountOut);

        uint256 product = reserve[0] * reserve[1];
        reserve[paid] += amountIn;
        reserve[taken] -= amountOut;

        uint256 paidAfterFee = reserve[paid] * SCALE - uint256(amountIn) * FEE;
        if (paidAfterFee * (reserve[taken] * SCALE) < product * 1000 ** 2) revert PriceTooGood(amountIn, amountOut);
        emit Swapped(msg.sender, zeroForOne, amountIn, amountOut);
    }

    function _squareRoot(uint256 square) private pure returns (uint256 root) {
        if (square == 0) return 0;
        root = square;
        uint256 next = (square + 1) / 2;
        while (next < root) {
            root = next;
            next = (square / next + next) / 2;
        }
    }
}
