"""Rules in which the programs that have cheatcodes differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CheatcodeRules:
    """Semantics of one program's cheatcodes.

    * `effects_outlive_reverts`: balances, nonces, the block, mocks and expectations stay when a frame inside of a
      transaction reverts that set them.
    * `pranks_outlive_transactions`: a prank that is left open reaches the next transaction.
    * `pranks_are_strict`: a prank that was not used yet is never replaced, nor a lasting one by one for a call.
    * `errors_are_forges`: failures revert with `CheatcodeError(string)`, and a user's message replaces the words
      "assertion failed".
    * `console_has_code`: a STOP stands at the address of the console.
    * `console_is_strict`: a call of the console that is no `log` reverts.
    * `calls_are_free`: a call to the cheatcodes costs no gas, as in hevm.
    * `broadcasts_are_transactions`: calls that are broadcast take nonces, and no prank is allowed meanwhile.
    * `blob_fee_is_excess`: `blobBaseFee` sets the excess of blob gas.
    * `has_difficulty`: `difficulty` may be set after the merge.
    * `has_code`: a delegated call to the cheatcodes runs the code at their address, which does nothing.
    * `assertions_revert`: a failed `vm.assert*` reverts; otherwise it is noted at the cheatcode address.
    * `slots_are_used`: `load` and `store` warm a slot, and slots that the transaction has used are copied alone.
    * `own_reverts_are_expected`: a revert of the frame that expects one is that one.
    """

    effects_outlive_reverts: bool = False
    pranks_outlive_transactions: bool = False
    pranks_are_strict: bool = False
    errors_are_forges: bool = False
    console_has_code: bool = True
    console_is_strict: bool = False
    calls_are_free: bool = True
    broadcasts_are_transactions: bool = False
    blob_fee_is_excess: bool = False
    has_difficulty: bool = True
    has_code: bool = False
    assertions_revert: bool = True
    slots_are_used: bool = False
    own_reverts_are_expected: bool = False


ECHIDNA_RULES = CheatcodeRules()
FORGE_RULES = CheatcodeRules(
    effects_outlive_reverts=True,
    pranks_outlive_transactions=True,
    pranks_are_strict=True,
    errors_are_forges=True,
    console_has_code=False,
    console_is_strict=True,
    calls_are_free=False,
    broadcasts_are_transactions=True,
    blob_fee_is_excess=True,
    has_difficulty=False,
    has_code=True,
    slots_are_used=True,
)
