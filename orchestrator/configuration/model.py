"""Every configuration key: Echidna's names and defaults, and Monotreme's own keys. One class for each group of keys.

A class's docstring heads its part of the reference, a field's description explains the key there. A field named
`x` is written under its alias (`seqLen`) in files. Null means the default.
"""

from __future__ import annotations

from pydantic import model_validator

from orchestrator.configuration.key_group import Keys
from orchestrator.configuration.key_group import key as _key
from orchestrator.configuration.other_fuzzers_keys import MedusaKeys, UnusedKeys
from orchestrator.configuration.types import (
    Address,
    Addresses,
    Arguments,
    BytecodeDeployments,
    CampaignCount,
    Clamps,
    CodebaseEmbedder,
    CommandCount,
    ContractDeployments,
    ContractNames,
    CorpusFormatName,
    Count,
    CoverageFormats,
    Days,
    DeploymentAddress,
    ExecutorName,
    Flag,
    Fraction,
    McpAuth,
    McpTools,
    MebiBytes,
    Milliseconds,
    NodeUrlList,
    NodeUrls,
    Port,
    PositiveCount,
    PositiveMebiBytes,
    RayAddress,
    ReportFormat,
    RequiredHealth,
    Seconds,
    SeedTests,
    SequenceLength,
    TestModeName,
    Text,
    Texts,
    ToolGroups,
    ToolNameStyle,
    Weights,
    Word,
    WorkerCount,
)
from orchestrator.report.formats import COVERAGE_FORMATS

DEFAULT_TIME_LIMIT = 60.0
DEFAULT_EXCLUDE = ("lib/*", "*/lib/*", "node_modules/*", "*/node_modules/*", "*forge-std/*", "*ds-test/*", "hardhat/*")
SECRET_KEYS = frozenset({"etherscanApiKey", "rpcUrl", "mcpAllowRpc"})
"""Keys whose values may hold keys to paid services: they are never shown."""


class BudgetKeys(Keys):
    """Budget and workers"""

    test_limit: Count | None = _key(
        "testLimit", None, "Calls to execute, over all workers. Without any limit, a campaign runs 60 s."
    )
    timeout: Seconds | None = _key("timeout", None, "Seconds to fuzz. With `testLimit`, whichever comes first.")
    sequence_length: SequenceLength = _key("seqLen", 100, "Calls in a sequence; each starts from the deployed state.")
    shrink_limit: Count = _key("shrinkLimit", 5000, "Executions to spend on shrinking one failing sequence.")
    stop_on_fail: Flag = _key("stopOnFail", False, "End the campaign once a test has failed and is shrunk.")
    workers: WorkerCount | None = _key(
        "workers", None, "Worker processes; `max`: one for each core. Null: one for each core, at most 4."
    )
    executor: ExecutorName = _key("executor", "local", "Where workers run: this machine, or a Ray cluster.")
    ray_address: RayAddress | None = _key(
        "rayAddress", None, "Address of the Ray cluster, HOST:PORT. Null: RAY_ADDRESS, else a cluster of this machine."
    )
    seed: Count | None = _key("seed", None, "Seed of all random choices. Null: a random one, always reported.")


class SteeringKeys(Keys):
    """Steering and supervision"""

    coverage_timeout: Seconds | None = _key(
        "stopAfterNoCoverage", None, "End fuzzing after this many seconds without new coverage. Null: no such limit."
    )
    automatic_priorities: Flag = _key(
        "automaticPriorities",
        True,
        "While nothing new is covered, call the functions more often whose code is executed rarely.",
    )
    worker_memory_limit: MebiBytes = _key(
        "workerMemoryLimit", 0, "Resident memory of a worker in MiB; one that needs more is replaced. 0: no limit."
    )
    worker_heartbeat_timeout: Seconds = _key(
        "workerHeartbeatTimeout", 30.0, "Seconds that a working worker may be silent before it is replaced."
    )
    worker_recycle_calls: Count = _key(
        "workerRecycleCalls", 0, "Replace a worker in good order after this many calls. 0: never."
    )
    compile_hot_code: Flag = _key(
        "compileHotCode",
        True,
        "Compile contract code that runs often to native code, in the background. Results are the same either way.",
    )


class TestKeys(Keys):
    """Tests"""

    test_mode: TestModeName | None = _key(
        "testMode",
        None,
        "What counts as a test and when it fails: see [test modes](../concepts/test_modes.md). Null: `property` in a"
        " configuration file, else chosen by the contract and said.",
    )
    contracts: ContractNames = _key(
        "contract",
        (),
        "The contract to fuzz, `Name` or `path:Name`; for `monotreme fuzz` also a list, fuzzed in turn, and names with"
        " `*` or `?`. Null: chosen.",
    )
    prefix: Text = _key("prefix", "echidna_", "Prefix of the names of property and optimization functions.")
    property_sender: Address = _key("psender", 0x10000, "Sender of the calls to properties.")
    test_destruction: Flag = _key("testDestruction", False, "Also test that no contract can be self-destructed.")
    all_contracts: Flag = _key("allContracts", False, "Call every deployed contract with a known ABI.")
    filter_functions: Texts = _key("filterFunctions", (), "Functions to leave out, as `Contract.function(type,...)`.")
    filter_blacklist: Flag = _key("filterBlacklist", True, "False: `filterFunctions` are the only ones to call.")
    exclude_view_pure: Flag = _key("excludeViewPure", False, "Leave out view and pure functions.")

    @model_validator(mode="after")
    def _whitelist_is_not_empty(self) -> TestKeys:
        if not self.filter_blacklist and not self.filter_functions:
            raise ValueError("filterBlacklist is false, so filterFunctions must name at least one function to call")
        return self


class InputKeys(Keys):
    """Inputs"""

    senders: Addresses = _key("sender", (0x10000, 0x20000, 0x30000), "Senders of calls, chosen evenly.")
    max_time_delay: Word = _key("maxTimeDelay", 604_800, "Longest delay before a call, in seconds.")
    max_block_delay: Word = _key("maxBlockDelay", 60_480, "Longest delay before a call, in blocks.")
    max_value: Word = _key("maxValue", 100 * 10**18, "Largest value sent with a payable call, in wei.")
    dictionary_frequency: Fraction = _key("dictFreq", 0.40, "How often an argument comes from the dictionary.")
    mutation_weights: Weights = _key(
        "mutConsts",
        (1, 1, 1, 1),
        "Weights of sequence mutators: shrinking, mutation, expansion and splicing. The first two are added: together "
        "they say how often arguments of a corpus entry change.",
    )
    clamps: Clamps = _key(
        "clamps",
        (),
        "Arguments of functions bound to values or a range, and functions bound to senders: see"
        " [clamps](../agents.md#clamps).",
    )
    coverage: Flag = _key("coverage", True, "Measure coverage and let the corpus grow by it.")
    corpus_directory: Text | None = _key("corpusDir", None, "Folder of the corpus: replayed first, saved all along.")

    corpus_format: CorpusFormatName | None = _key(
        "corpusFormat",
        None,
        "Whose files the corpus is written in; all of them are read. Null: `medusa` in that test mode, else `echidna`.",
    )
    seed_tests: SeedTests = _key(
        "seedTests",
        "build",
        "Execute the project's Foundry tests and scripts once, and begin with the calls that they make. `build`: those"
        " that are compiled with the target; `project`: compile all of them; `none`. See"
        " [seeds](../concepts/seeds.md).",
    )
    seed_sequences: Texts = _key(
        "seedSequences",
        (),
        "Files with sequences to begin with: lists of transactions, forge's broadcasts, or files of other fuzzers'"
        " corpora. See [seeds](../concepts/seeds.md).",
    )


class ChainKeys(Keys):
    """Chain and deployment"""

    deployer: Address = _key("deployer", 0x30000, "Account that deploys the contracts.")
    contract_address: DeploymentAddress = _key(
        "contractAddr", 0x00A329C0648769A73AFAC7F9381E08FB43DBEA72, "Address of the fuzzed contract."
    )
    sender_balance: Word = _key("balanceAddr", 0xFFFFFFFF, "Wei that deployer and senders hold at the start.")
    contract_balance: Word = _key("balanceContract", 0, "Wei sent to the constructor of the fuzzed contract.")
    code_size: Word = _key("codeSize", 0xFFFFFFFF, "Largest deployed code, in bytes.")
    property_gas: PositiveCount = _key("propMaxGas", 12_500_000, "Gas of a call to a property.")
    transaction_gas: PositiveCount = _key("testMaxGas", 12_500_000, "Gas of every other call.")
    gas_price: Word = _key("maxGasprice", 0, "Gas price of every call, in wei.")
    deploy_contracts: ContractDeployments = _key(
        "deployContracts", (), "Contracts of the project to deploy before the fuzzed one, with their addresses."
    )
    deploy_bytecodes: BytecodeDeployments = _key(
        "deployBytecodes", (), "Creation codes to deploy before the fuzzed contract, with their addresses."
    )
    initialize: Text | None = _key(
        "initialize", None, "Etheno file of creations and calls to execute before anything else is deployed."
    )
    rpc_url: NodeUrls | None = _key(
        "rpcUrl", None, "JSON-RPC URL of a chain to fork; several, separated by commas, stand in for each other."
    )
    rpc_block: Count | None = _key("rpcBlock", None, "Number of the block to fork. Null: the newest, chosen once.")
    allow_ffi: Flag = _key(
        "allowFFI",
        False,
        "Let the cheatcode `ffi` run programs on this machine, with your rights. Only for code you trust.",
    )


class CompileKeys(Keys):
    """Compilation"""

    target: Text | None = _key("target", None, "File or folder to fuzz, when the command line names none.")
    solc_path: Text | None = _key("solcPath", None, "The `solc` program to use. Null: found or fetched.")
    solc_version: Text | None = _key("solcVersion", None, "Compiler version, such as `0.8.30`. Null: by the pragmas.")
    solc_args: Arguments = _key("solcArgs", "", "Arguments for the compiler: remappings, `--optimize`, `--via-ir`, ...")
    trust_project: Flag = _key(
        "trustProject",
        False,
        "Let the project's own files name programs and folders outside of it, and forge build it. True only by the flag"
        " `--trust-project`. See [policy](policy.md).",
    )

    fetch_vyper: Flag = _key(
        "fetchVyper",
        False,
        "Fetch a missing release of Vyper from PyPI into the cache folder. True only by the flag `--fetch-vyper`.",
    )
    allow_paths: Texts = _key("allowPaths", (), "Folders outside of the project that imports may come from.")
    crytic_args: Texts = _key(
        "cryticArgs",
        (),
        "Arguments for crytic-compile, which is not used: `--solc-remaps` and `--compile-libraries` are honoured, for"
        " the others a note says what differs.",
    )
    constructor_values: Texts = _key(
        "constructorValues",
        (),
        "Arguments of the contract's constructor, one text for each, such as `1 ether` or `0x1`.",
    )
    exclude: Texts = _key(
        "exclude",
        DEFAULT_EXCLUDE,
        "Globs of sources whose constants stay out of the dictionary, and whose lines stay out of coverage reports.",
    )


class OutputKeys(Keys):
    """Output"""

    project_name: Text | None = _key("projectName", None, "Title shown instead of the contract's name.")
    format: ReportFormat | None = _key("format", None, "Report on stdout. Null: text, with a live view on a terminal.")
    quiet: Flag = _key("quiet", False, "No live view and no status lines.")
    coverage_directory: Text | None = _key("coverageDir", None, "Folder of coverage reports. Null: `corpusDir`.")
    coverage_formats: CoverageFormats = _key(
        "coverageFormats", tuple(COVERAGE_FORMATS), "Coverage reports to write; `text` means `txt`."
    )
    coverage_excludes: Texts = _key("coverageExcludes", (), "Globs of source files to leave out of coverage reports.")
    require: RequiredHealth | None = _key(
        "require",
        None,
        "`sound`: exit with 1 unless the campaign's health is sound. Null: health changes no exit code.",
    )
    verify_exports: Flag = _key(
        "verifyExports", True, "Execute findings that are saved as Foundry tests, by forge or by Monotreme's own EVM."
    )


class AgentKeys(Keys):
    """Agents

    The server for agents, over the Model Context Protocol: `monotreme mcp` on stdio, `monotreme serve` and
    `monotreme fuzz --mcp-port` over HTTP.
    """

    autopilot: Flag = _key(
        "autopilot", False, "Let the scripted agent plan sequences from the sources while `monotreme fuzz` runs."
    )
    mcp_port: Port | None = _key("mcpPort", None, "Serve agents at `http://127.0.0.1:PORT/mcp` while fuzzing; 0: any.")
    mcp_host: Text = _key("mcpHost", "127.0.0.1", "Address to listen on. Others than loopback always need tokens.")
    mcp_auth: McpAuth = _key("mcpAuth", "token", "`none` asks for no token; for loopback addresses only.")
    mcp_token_file: Text | None = _key(
        "mcpTokenFile", None, "File with the tokens, made when missing. Null: `mcp-tokens.json` in the state folder."
    )
    mcp_roots: Texts = _key("mcpRoots", (), "Folders that tools may touch. Empty: the folder of the server.")
    mcp_allow_rpc: NodeUrlList = _key(
        "mcpAllowRpc",
        (),
        "Nodes that agents may fork chains from: scheme, host and port count. The server's `rpcUrl` is one of them.",
    )
    enabled_tool_groups: ToolGroups = _key(
        "enabledToolGroups",
        ("campaign", "coverage", "builds", "analysis", "codebase"),
        "Tool families to publish; each tool costs a model some hundred tokens.",
    )
    max_campaigns: CampaignCount = _key(
        "maxCampaigns",
        4,
        "Campaigns that may run at a time under `monotreme mcp` and `serve`. They share `workers`, unless an agent asks"
        " for a number.",
    )
    mcp_tools: McpTools = _key(
        "mcpTools",
        "lean",
        "Tools to list: some 15 for campaigns, all, or those of groups. What is not listed can be called all the same.",
    )
    tool_name_style: ToolNameStyle = _key(
        "toolNameStyle", "underscore", "How names such as `run.raw` are listed; calls may use either form."
    )
    codebase_memory: Text | None = _key(
        "codebaseMemory", None, "Database of indexed code. Null: `codebases.sqlite` in the state folder."
    )
    codebase_embedder: CodebaseEmbedder = _key(
        "codebaseEmbedder",
        "subwords",
        "How code gets vectors: without a model, or by a neural one (`minilm` in numpy, `fastembed` is downloaded).",
    )
    codebase_manager_port: Port = _key(
        "codebaseManagerPort", 8009, "Port of the page that manages indexed code, once an agent opens it; 0: any."
    )
    dashboard: Flag = _key(
        "dashboard", False, "Serve a page to watch and steer the campaign. `monotreme serve` always does."
    )
    dashboard_port: Port | None = _key(
        "dashboardPort", None, "Port of that page, at `mcpHost`; 0: any. Null: 8010, and no page unless `dashboard`."
    )
    index_target: Flag = _key(
        "indexTarget", True, "Under a server for agents, index the target's code when a campaign starts."
    )
    campaign_deadline: Milliseconds = _key("campaignDeadline", 100, "Milliseconds for campaign tools.")
    analysis_deadline: Milliseconds = _key("analysisDeadline", 5000, "Milliseconds for tools that parse or run code.")
    search_deadline: Milliseconds = _key("searchDeadline", 5000, "Milliseconds for searches.")
    package_lookups: Flag = _key("packageLookups", True, "Whether `dependencies` may ask the npm registry.")

    @property
    def has_page(self) -> bool:
        """Return whether a campaign outside of `serve` has a dashboard."""
        return self.dashboard or self.dashboard_port is not None


class BuildKeys(Keys):
    """Builds

    Limits of what agents run with the [build tools](../builds.md), and of what a server's campaigns compile. Working
    folders lie within `mcpRoots`.
    """

    build_time_limit: Seconds = _key("buildTimeLimit", 600.0, "Seconds for one command; a call can only shorten it.")
    build_output_limit: PositiveMebiBytes = _key(
        "buildOutputLimit", 512, "MiB of output of one command, all of which is kept in its log."
    )
    build_memory_limit: MebiBytes = _key(
        "buildMemoryLimit", 4096, "MiB of resident memory of one command with all its processes. 0: no limit."
    )
    builds_at_once: CommandCount = _key("buildsAtOnce", 4, "Commands that run at a time.")
    build_queue: CommandCount = _key("buildQueue", 64, "Commands that may wait for their turn.")
    build_retention: Days = _key("buildRetention", 14, "Days that a run's log is kept after its end.")
    build_runs: Text | None = _key(
        "buildRuns", None, "Folder of the runs. Null: `monotreme/runs` in the user's data folder."
    )
    compact_diagnostics: Flag = _key(
        "compactDiagnostics", False, "Diagnostics of message, code and place only, unless a call says `compact: false`."
    )


GROUPS: tuple[type[Keys], ...] = (
    BudgetKeys,
    TestKeys,
    InputKeys,
    ChainKeys,
    MedusaKeys,
    CompileKeys,
    OutputKeys,
    SteeringKeys,
    AgentKeys,
    BuildKeys,
    UnusedKeys,
)


# The reverse order of bases makes pydantic list the fields in the order of GROUPS.
class Configuration(
    UnusedKeys,
    BuildKeys,
    AgentKeys,
    SteeringKeys,
    OutputKeys,
    CompileKeys,
    MedusaKeys,
    ChainKeys,
    InputKeys,
    TestKeys,
    BudgetKeys,
):
    """All keys of a campaign, validated. Numbers are integers, addresses integers below 2**160."""
