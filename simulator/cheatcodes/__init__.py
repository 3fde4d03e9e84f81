"""Cheatcodes: forge-std's `vm` at 0x7109…DD12D and `console.log`, for contracts under test.

`install_cheatcodes` gives a machine a handler; `docs/reference/cheatcodes.md` lists what is there.
"""

from simulator.cheatcodes.console import console_text
from simulator.cheatcodes.core.rules import ECHIDNA_RULES, FORGE_RULES, CheatcodeRules
from simulator.cheatcodes.dispatch import Cheatcodes
from simulator.cheatcodes.installation import install_cheatcodes

__all__ = [
    "ECHIDNA_RULES",
    "FORGE_RULES",
    "CheatcodeRules",
    "Cheatcodes",
    "console_text",
    "install_cheatcodes",
]
