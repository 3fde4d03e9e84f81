"""The fields of the context that hold a fork's gas schedule and rules."""

from __future__ import annotations

from simulator.evm.forks import Fork
from simulator.evm.kernel.layout import context


def schedule_fields(fork: Fork, code_size_limit: int | None) -> tuple[tuple[int, int], ...]:
    """(offset in the context, value) for everything that depends on the fork. `code_size_limit` replaces the fork's
    limit on runtime code; creation code may then be twice as long."""
    return (
        (context.GAS_COLD_SLOAD, fork.cold_sload),
        (context.GAS_WARM_SLOAD, fork.warm_sload),
        (context.GAS_COLD_ACCOUNT, fork.cold_account),
        (context.GAS_WARM_ACCOUNT, fork.warm_account),
        (context.GAS_SSTORE_COLD, fork.sstore_cold),
        (context.GAS_SSTORE_NOOP, fork.sstore_noop),
        (context.GAS_SSTORE_SET, fork.sstore_set),
        (context.GAS_SSTORE_RESET, fork.sstore_reset),
        (context.GAS_EXPONENT_BYTE, fork.exponent_byte),
        (context.SSTORE_STIPEND, fork.sstore_stipend),
        (context.NET_SSTORE, int(fork.net_sstore)),
        (context.KEEPS_64TH, int(fork.keeps_64th)),
        (context.REMOVES_EMPTY, int(fork.removes_empty)),
        (context.DEPOSIT_MUST_SUCCEED, int(fork.deposit_must_succeed)),
        (context.REFUND_CLEAR, fork.refund_clear),
        (context.GAS_SELFDESTRUCT_COLD, fork.selfdestruct_cold),
        (context.REFUND_SELFDESTRUCT, fork.refund_selfdestruct),
        (context.GAS_INITCODE_WORD, fork.initcode_word),
        (context.INITCODE_LIMIT, fork.initcode_limit if code_size_limit is None else 2 * code_size_limit),
        (context.CODE_LIMIT, fork.code_limit if code_size_limit is None else code_size_limit),
        (context.REJECT_EF, int(fork.reject_ef)),
        (context.DESTROY_NEW_ONLY, int(fork.destroy_new_only)),
        (context.DELEGATION, int(fork.delegation)),
    )
