"""Functions of libraries that JSON ABIs leave out, because they take storage: known by their signatures alone.

`insert(Set.Data storage,uint256)` is what solc hashes. Storage is passed as its slot. Enums, contracts and structs
stand in it by name, which tells nothing of their form.
"""

from __future__ import annotations

from simulator.abi.contract import Function
from simulator.abi.types import AbiType, Tuple, UInt, parse_type_text
from simulator.errors import AbiError

STORAGE = " storage"


def library_function(signature: str) -> Function:
    """The function of a signature as solc writes it. It has no inputs where a parameter's form is unknown."""
    name, _, parameters = signature.partition("(")
    try:
        inputs = Tuple(tuple(map(_passed, _split(parameters.removesuffix(")")))))
    except AbiError:
        inputs = Tuple(())
    return Function(name, inputs, written=signature)


def _passed(parameter: str) -> AbiType:
    return UInt(256) if parameter.endswith(STORAGE) else parse_type_text(parameter)


def _split(parameters: str) -> list[str]:
    """At the commas outside of parentheses, which tuples and mappings have."""
    parts, depth = [""], 0
    for character in parameters:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts if parameters else []
