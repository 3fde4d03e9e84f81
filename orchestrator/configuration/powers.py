"""Powers of each configuration key over the machine, and the parties that may set it.

Every key has an entry: a new one without a decision fails the tests. The keys of `foundry.toml` have theirs in
`simulator.compile.projects.foundry_config.KEYS`.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Power(Enum):
    """Effect of setting a key; the value names the parties that may set it."""

    NONE = "anyone: a value for the campaign itself"
    UNUSED = "anyone: the key has no effect"
    COMPILER_ARGUMENTS = "anyone: known arguments only, and an agent's folders lie inside the roots"
    READS_FOLDERS = "anyone: an agent's folders lie inside the roots"
    WRITES_FOLDER = "anyone: an agent's folder lies inside the roots; no links lead out of it"
    NETWORK = "anyone; an agent for addresses that the server's command line allows"
    PROGRAM = "the user; for agents, the server's command line"
    FFI = "the user, for programs that contracts name; for agents, the server's command line"
    SERVER = "the command line of the server"
    TRUST = "a flag alone"


OF_THE_SERVER: Final = frozenset((Power.PROGRAM, Power.FFI, Power.SERVER, Power.TRUST))
"""An agent sets none of these."""

_PLAIN: Final = (
    *("testLimit", "timeout", "seqLen", "shrinkLimit", "stopOnFail", "workers", "seed", "stopAfterNoCoverage"),
    *("automaticPriorities", "workerMemoryLimit", "workerHeartbeatTimeout", "workerRecycleCalls", "compileHotCode"),
    *("testMode", "contract", "prefix", "psender", "testDestruction", "allContracts", "filterFunctions"),
    *("filterBlacklist", "excludeViewPure", "sender", "maxTimeDelay", "maxBlockDelay", "maxValue", "dictFreq"),
    *("mutConsts", "coverage", "deployer", "contractAddr", "balanceAddr", "balanceContract", "codeSize", "propMaxGas"),
    *("testMaxGas", "maxGasprice", "deployContracts", "deployBytecodes", "rpcBlock", "solcVersion", "projectName"),
    *("format", "quiet", "coverageFormats", "coverageExcludes", "targetContracts", "corpusFormat"),
    *("verifyExports", "target", "require"),
    *("targetContractsBalances", "constructorArgs", "predeployedContracts", "propertyTests", "propertyPrefixes"),
    *("optimizationTests", "optimizationPrefixes", "assertionTests", "panicCodes", "requireTests", "cheatcodes"),
    *("constructorValues", "exclude", "cryticArgs", "seedTests"),
    *("autopilot", "clamps"),
)
_UNUSED: Final = (
    *("disableSlither", "solcLibs", "allEvents", "server", "etherscanApiKey", "disableOnchainSources"),
    *("symExec", "symExecSMTSolver", "symExecTargets", "symExecTimeout", "symExecNSolvers", "symExecMaxIters"),
    *("symExecAskSMTIters", "symExecMaxExplore"),
)
_SERVER: Final = (
    *("mcpPort", "mcpHost", "mcpAuth", "mcpTokenFile", "mcpRoots", "mcpAllowRpc", "mcpTools", "maxCampaigns"),
    *("dashboard", "dashboardPort"),
    *("enabledToolGroups", "toolNameStyle", "codebaseMemory", "codebaseEmbedder", "codebaseManagerPort", "indexTarget"),
    *("campaignDeadline", "analysisDeadline", "searchDeadline", "packageLookups", "buildTimeLimit"),
    *("buildOutputLimit", "buildMemoryLimit", "buildsAtOnce", "buildQueue", "buildRetention", "buildRuns"),
    "compactDiagnostics",
)

POWERS: Final[dict[str, Power]] = {
    **dict.fromkeys(_PLAIN, Power.NONE),
    **dict.fromkeys(_UNUSED, Power.UNUSED),
    **dict.fromkeys(_SERVER, Power.SERVER),
    "solcArgs": Power.COMPILER_ARGUMENTS,
    "allowPaths": Power.READS_FOLDERS,
    "executor": Power.SERVER,
    "rayAddress": Power.SERVER,
    "corpusDir": Power.WRITES_FOLDER,
    "coverageDir": Power.WRITES_FOLDER,
    "rpcUrl": Power.NETWORK,
    "solcPath": Power.PROGRAM,
    "initialize": Power.SERVER,
    "seedSequences": Power.SERVER,
    "allowFFI": Power.FFI,
    "trustProject": Power.TRUST,
    "fetchVyper": Power.TRUST,
}
