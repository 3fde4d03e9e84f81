// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import {Launch} from "./Launch.sol";

contract LaunchHarness is Launch {
    /// Stands for "the dangerous state cannot be reached". It can, by one path only.
    function echidna_never_launched() public view returns (bool) {
        return phase != Phase.Launched;
    }

    /// Phases are passed in order, so fuel is in the tank exactly from the fifth phase on.
    function echidna_fuelled_only_after_trimming() public view returns (bool) {
        return (phase >= Phase.Fuelled) == (fuelledAt != 0);
    }
}
