"""The fields of the context that hold a fork's gas schedule and rules."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import Context
from simulator.forks import Fork


def write_schedule(context: Context, fork: Fork, code_size_limit: int | None) -> None:
    """Set everything that depends on the fork. `code_size_limit` replaces the fork's limit on runtime code; creation
    code may then be twice as long."""
    context.gas_cold_sload = fork.cold_sload
    context.gas_warm_sload = fork.warm_sload
    context.gas_cold_account = fork.cold_account
    context.gas_warm_account = fork.warm_account
    context.gas_sstore_cold = fork.sstore_cold
    context.gas_sstore_noop = fork.sstore_noop
    context.gas_sstore_set = fork.sstore_set
    context.gas_sstore_reset = fork.sstore_reset
    context.gas_exponent_byte = fork.exponent_byte
    context.sstore_stipend = fork.sstore_stipend
    context.net_sstore = fork.net_sstore
    context.keeps_64th = fork.keeps_64th
    context.removes_empty = fork.removes_empty
    context.deposit_must_succeed = fork.deposit_must_succeed
    context.refund_clear = fork.refund_clear
    context.gas_selfdestruct_cold = fork.selfdestruct_cold
    context.refund_selfdestruct = fork.refund_selfdestruct
    context.gas_initcode_word = fork.initcode_word
    context.initcode_limit = fork.initcode_limit if code_size_limit is None else 2 * code_size_limit
    context.code_limit = fork.code_limit if code_size_limit is None else code_size_limit
    context.reject_ef = fork.reject_ef
    context.destroy_new_only = fork.destroy_new_only
    context.delegation = fork.delegation
