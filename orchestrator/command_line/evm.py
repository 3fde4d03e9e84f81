"""`monotreme evm`: the EVM by itself, without a campaign."""

from __future__ import annotations

from orchestrator.command_line.commands import LazyGroup

EVM = LazyGroup(
    "evm",
    help="Run the EVM by itself: Ethereum's state tests, or one program.",
    lazy={
        "statetest": (
            "orchestrator.command_line.evm_statetest:statetest",
            "Run files of Ethereum's state tests and check state root and logs hash.",
        ),
        "run": ("orchestrator.command_line.evm_run:run", "Execute bytecode: status, output, gas, logs, trace."),
    },
)
