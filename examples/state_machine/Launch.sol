// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A launch in six steps, each with a condition that blind guessing does not meet. A step out of order reverts.
contract Launch {
    enum Phase {
        Parked,
        Armed,
        Authorised,
        Calibrated,
        Trimmed,
        Fuelled,
        Launched
    }

    uint256 public constant COUNTDOWN = 3 days;

    Phase public phase;
    uint256 public fuelledAt;

    event PhaseReached(Phase phase);

    error WrongPhase(Phase expected, Phase actual);
    error ConditionNotMet(Phase next);

    modifier step(Phase from) {
        if (phase != from) revert WrongPhase(from, phase);
        _;
        phase = Phase(uint8(from) + 1);
        emit PhaseReached(phase);
    }

    /// A constant that stands in the source.
    function arm(uint256 code) external step(Phase.Parked) {
        _need(code == 734_402_119, Phase.Armed);
    }

    /// A constant that stands nowhere in the source: only its preimage does.
    function authorise(bytes32 key) external step(Phase.Armed) {
        _need(key == keccak256("launch/authorisation/2"), Phase.Authorised);
    }

    /// A relation between two arguments. No constant helps; the difference between the two sides does.
    function calibrate(uint256 dial, uint256 gauge) external step(Phase.Authorised) {
        unchecked {
            _need(dial > 99 && dial * 3 + 7 == gauge, Phase.Calibrated);
        }
    }

    /// A negative number.
    function trim(int64 angle) external step(Phase.Calibrated) {
        _need(angle == -271_828, Phase.Trimmed);
    }

    /// An exact amount of ether.
    function fuel() external payable step(Phase.Trimmed) {
        _need(msg.value == 0.75 ether, Phase.Fuelled);
        fuelledAt = block.timestamp;
    }

    /// Time has to pass between two calls.
    function launch() external step(Phase.Fuelled) {
        _need(block.timestamp >= fuelledAt + COUNTDOWN, Phase.Launched);
    }

    function _need(bool condition, Phase next) private pure {
        if (!condition) revert ConditionNotMet(next);
    }
}
