"""Keys that are there for the configurations of other fuzzers: Medusa's, and those of Echidna that have no effect."""

from __future__ import annotations

from pydantic import model_validator

from orchestrator.configuration.key_group import Keys, key
from orchestrator.configuration.types import (
    AddressesByName,
    ArgumentsByName,
    Count,
    Flag,
    PanicCodes,
    Prefixes,
    SmtSolver,
    Text,
    Texts,
    Words,
)


class MedusaKeys(Keys):
    """Medusa's tests and deployment

    A `medusa.json` sets these; they work in YAML as well, the tests with `testMode: medusa`. See
    [from Medusa](../use/from_medusa.md).
    """

    target_contracts: Texts = key(
        "targetContracts", (), "Contracts to deploy in this order, all of them fuzzed. `contract` chooses one of them."
    )
    target_balances: Words = key(
        "targetContractsBalances", (), "Wei sent to the constructors of `targetContracts`, in the same order."
    )
    constructor_arguments: ArgumentsByName = key(
        "constructorArgs",
        {},
        "Arguments of constructors by contract and parameter. `DeployedContract:Name` is the address of a contract that"
        " was deployed before.",
    )
    predeployed_contracts: AddressesByName = key(
        "predeployedContracts", {}, "Contracts to deploy at these addresses, before `targetContracts`."
    )
    property_tests: Flag = key("propertyTests", True, "Call properties after each call.")
    property_prefixes: Prefixes = key("propertyPrefixes", ("property_",), "Prefixes of the names of properties.")
    optimization_tests: Flag = key("optimizationTests", True, "Look for the greatest values of optimization functions.")
    optimization_prefixes: Prefixes = key(
        "optimizationPrefixes", ("optimize_",), "Prefixes of the names of functions that return a value to maximise."
    )
    assertion_tests: Flag = key("assertionTests", True, "Watch every function for panics of `panicCodes`.")
    panic_codes: PanicCodes = key("panicCodes", (0x01,), "Panics that fail an assertion test. 0x01 is `assert`.")
    require_tests: Flag = key("requireTests", True, "Refuse a target without any test.")
    cheatcodes: Flag = key("cheatcodes", True, "Answer calls to the cheatcode address.")

    @model_validator(mode="after")
    def _prefixes_differ(self) -> MedusaKeys:
        if both := set(self.property_prefixes) & set(self.optimization_prefixes):
            raise ValueError(f"{', '.join(sorted(both))}: a prefix of properties and of optimization functions at once")
        return self


class UnusedKeys(Keys):
    """Accepted, without effect

    Echidna keys that have nothing to act on in Monotreme. Setting one is noted, never an error.
    """

    disable_slither: Flag = key("disableSlither", False, "Slither is not used: the compiler's syntax tree is read.")
    solc_libs: Texts = key("solcLibs", (), "Libraries are found, deployed and linked without being listed.")
    all_events: Flag = key("allEvents", False, "Traces always show every call of a failing sequence.")
    server: Count | None = key("server", None, "There is no event server on a port.")
    etherscan_api_key: Text | None = key("etherscanApiKey", None, "No sources are fetched.")
    disable_onchain_sources: Flag = key("disableOnchainSources", False, "No sources are fetched.")
    symbolic: Flag = key("symExec", False, "There is no symbolic worker.")
    symbolic_solver: SmtSolver = key("symExecSMTSolver", "bitwuzla", "There is no symbolic worker.")
    symbolic_targets: Texts | None = key("symExecTargets", None, "There is no symbolic worker.")
    symbolic_timeout: Count = key("symExecTimeout", 30, "There is no symbolic worker.")
    symbolic_solvers: Count = key("symExecNSolvers", 1, "There is no symbolic worker.")
    symbolic_iterations: Count = key("symExecMaxIters", 5, "There is no symbolic worker.")
    symbolic_solver_iterations: Count = key("symExecAskSMTIters", 1, "There is no symbolic worker.")
    symbolic_exploration: Count = key("symExecMaxExplore", 10, "There is no symbolic worker.")
