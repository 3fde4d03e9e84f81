"""Next steps for a function that always reverts, told by its reason in the words that projects use."""

from __future__ import annotations

import re

from simulator.printable import shortened

MAX_LINE = 120
_STEPS: tuple[tuple[str, str], ...] = (
    (r"FOUNDRY::ASSUME", "bound the inputs with bound() instead of rejecting them with vm.assume"),
    (r"allowance", "let the harness approve the spender before the call"),
    (
        r"exceeds balance|insufficient.?balance|insufficient.?fund|OutOfFunds|balance too low",
        "give the caller the tokens or the ether that it needs, or bound the amount by its balance",
    ),
    (
        r"owner|auth|role|admin|governor|permission|forbidden|only[A-Z ]",
        "let the one who has the role call it: name it under --sender, give a sender the role, or prank in the harness",
    ),
    (r"initiali[sz]", "set the contract up in the constructor of the harness or in setUp()"),
    (r"paus", "unpause the contract in the harness, or add a handler that does"),
    (r"deadline|expired|too early|too late|not started|locked", "let time pass, or bound the time that is passed in"),
    (r"arithmetic underflow or overflow", "bound the arguments in the harness, so that nothing overflows"),
    (r"division or modulo by zero", "set the state up that the divisor comes from, or keep the argument off zero"),
    (r"array index out of bounds", "bound the index by the length, or fill the array first"),
    (r"zero address", "keep the zero address out of the arguments in the harness"),
    (r"slippage|insufficient.?output|min.?amount", "lower the least amount that the harness asks for"),
)


_CHECK = re.compile(r"(?:require|if)\s*\(")


def step_for_revert(reason: str, line: str, *, payable: bool, has_value: bool) -> str:
    """The next step for a function that always ends in this reason, at a line with this text. `has_value` says whether
    calls bring ether."""
    for pattern, step in _STEPS:
        if re.search(pattern, reason, re.IGNORECASE if pattern.islower() else 0):
            return step
    if payable and not has_value:
        return "let calls bring ether: set maxValue above 0"
    what = f"`{shortened(line, MAX_LINE)}`" if _CHECK.match(line) else "the condition"
    return f"get past {what}: set the state up in the harness before the call, or bound the arguments there"
