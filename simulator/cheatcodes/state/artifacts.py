"""Codes of the project's contracts: `getCode`, `getDeployedCode`, `deployCode`."""

from __future__ import annotations

from pathlib import PurePosixPath

from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.frames import become, take_code_of
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.state.pranks import payer_for
from simulator.compile.projects.foundry_config import artifacts_folder
from simulator.errors import CompileError
from simulator.evm.assembly import assemble
from simulator.evm.host_memory import as_word
from simulator.evm.kernel import status
from simulator.evm.kernel.layout.code import RUNTIME
from simulator.project import Contract

# Programs that create the code in their calldata, behind the value and the salt, and return the address or the revert.
_LOAD = "PUSH1 64 CALLDATASIZE SUB DUP1 PUSH1 64 PUSH1 0 CALLDATACOPY"
_FAIL = "RETURNDATASIZE PUSH1 0 PUSH1 0 RETURNDATACOPY RETURNDATASIZE PUSH1 0 REVERT"
_ANSWER = "JUMPDEST PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN"


def _program(create: str) -> bytes:
    """PUSH1 for every number: forks before Shanghai know no PUSH0."""
    before = f"{_LOAD} {create} DUP1 PUSH1 {{end}} JUMPI {_FAIL}"
    end = len(assemble(before.format(end=0)))
    return assemble(f"{before.format(end=end)} {_ANSWER}")


CREATE = _program("PUSH1 0 PUSH1 0 CALLDATALOAD CREATE")
CREATE2 = _program("PUSH1 32 CALLDATALOAD SWAP1 PUSH1 0 PUSH1 0 CALLDATALOAD CREATE2")


def find_contract(vm: Session, name: str) -> Contract:
    """The contract that forge's forms name: `Name`, `File.sol`, `path/File.sol:Name`, `out/File.sol/Name.json`, each
    without the JSON with a compiler version behind a colon."""
    file, contract = _split(name)
    found = [each for each in vm.project.contracts if _is_called(each, file, contract)]
    if not found:
        raise CheatcodeError(f"vm.getCode: no contract of the project is called {name}")
    with_code = [each for each in found if each.creation_code] or found
    if len({each.full_name for each in with_code}) > 1:
        names = ", ".join(each.full_name for each in with_code[:4])
        raise CheatcodeError(f"vm.getCode: several contracts are called {name}: {names}")
    return with_code[0]


def _split(name: str) -> tuple[str, str]:
    """File and contract, either of them empty when it does not say."""
    if name.endswith(".json"):
        path = PurePosixPath(name)
        return path.parent.name, path.stem
    parts = [part for part in name.split(":") if part and not part.replace(".", "").isdigit()]
    file = parts[0] if parts and parts[0].endswith((".sol", ".vy")) else ""
    rest = parts[1:] if file else parts
    if len(rest) > 1 or not parts:
        raise CheatcodeError(f"vm.getCode: {name!r} names no contract; `File.sol:Name` is the form")
    return file, rest[0] if rest else ""


def _is_called(contract: Contract, file: str, name: str) -> bool:
    if name and contract.name != name:
        return False
    if not name and contract.name != PurePosixPath(file).stem:
        return False
    return not file or contract.path == file or contract.path.endswith("/" + file.removeprefix("./"))


def _creation_code(vm: Session, name: str) -> bytes:
    contract = find_contract(vm, name)
    if not contract.creation_code:
        raise CheatcodeError(f"vm.getCode: {contract.full_name} is abstract and has no code")
    if contract.creation_links:
        raise CheatcodeError(f"vm.getCode: {contract.full_name} needs the library {contract.creation_links[0].library}")
    return contract.creation_code


def contract_with_code(vm: Session, address: int) -> str | None:
    """`path:Name` of the contract whose runtime code stands at an address, whatever its immutables hold."""
    found = _with_runtime_code(vm, vm.machine.get_code(address))
    return found.full_name if found else None


def _with_runtime_code(vm: Session, data: bytes) -> Contract | None:
    return next((each for each in vm.project.contracts if data and _is_runtime_code(each, data)), None)


def _is_runtime_code(contract: Contract, data: bytes) -> bool:
    """Return whether a code is the contract's apart from immutables and the addresses of libraries."""
    if len(data) != len(contract.runtime_code):
        return False
    holes = [*contract.immutables, *((each.offset, 20) for each in contract.runtime_links)]
    masked = bytearray(data)
    for start, size in holes:
        masked[start : start + size] = contract.runtime_code[start : start + size]
    return masked == contract.runtime_code


def _artifact_path(vm: Session, contract: Contract | None) -> str:
    """Return the path of forge's artifact of the contract."""
    if contract is None:
        raise CheatcodeError("no matching artifact found")
    try:
        folder = artifacts_folder(vm.root, policy=vm.policy)
    except CompileError as error:
        raise CheatcodeError(str(error)) from None
    return str(folder / PurePosixPath(contract.path).name / f"{contract.name}.json")


@cheatcode("getArtifactPathByCode(bytes)")
def path_by_code(vm: Session, data: bytes) -> str:
    """Of the contract whose creation code this is, arguments aside."""
    contracts = vm.project.contracts
    fitting = [each for each in contracts if each.creation_code and data.startswith(each.creation_code)]
    return _artifact_path(vm, max(fitting, key=lambda each: len(each.creation_code), default=None))


@cheatcode("getArtifactPathByDeployedCode(bytes)")
def path_by_deployed_code(vm: Session, data: bytes) -> str:
    return _artifact_path(vm, _with_runtime_code(vm, data))


@cheatcode("currentFilePath()")
def current_file_path(vm: Session) -> str:
    """Of the contract that the transaction calls, relative to the project's folder."""
    name = contract_with_code(vm, vm.machine.context.tx_to.address)
    if name is None:
        raise CheatcodeError("vm.currentFilePath: the contract under test is none of the project")
    return name.rpartition(":")[0]


@cheatcode("getCode(string)")
def get_code(vm: Session, name: str) -> bytes:
    return _creation_code(vm, name)


@cheatcode("getDeployedCode(string)")
def get_deployed_code(vm: Session, name: str) -> bytes:
    contract = find_contract(vm, name)
    if not contract.runtime_code or contract.runtime_links:
        raise CheatcodeError(f"vm.getDeployedCode: {contract.full_name} has no code, or needs libraries")
    return contract.runtime_code


def _deploy(vm: Session, name: str, arguments: bytes = b"", value: int = 0, salt: bytes | None = None) -> object:
    """Let the cheatcode's own frame create the contract in the name of the one that called."""
    data = value.to_bytes(32, "big") + (salt or bytes(32)) + _creation_code(vm, name) + arguments
    machine = vm.machine
    become(machine, payer_for(vm))
    take_code_of(machine, machine.code_store.register_uncounted(CREATE if salt is None else CREATE2, RUNTIME))
    machine.context.calldata = vm.place(data)
    machine.context.calldata_size = len(data)
    machine.context.calldatasize_word = as_word(len(data))
    machine.context.resume = status.RESUME_BLOCK
    return vm.RUNNING


@cheatcode("deployCode(string)")
def deploy_code(vm: Session, name: str) -> object:
    return _deploy(vm, name)


@cheatcode("deployCode(string,bytes)")
def deploy_code_with(vm: Session, name: str, arguments: bytes) -> object:
    return _deploy(vm, name, arguments)


@cheatcode("deployCode(string,uint256)")
def deploy_code_of_value(vm: Session, name: str, value: int) -> object:
    return _deploy(vm, name, value=value)


@cheatcode("deployCode(string,bytes,uint256)")
def deploy_code_with_of_value(vm: Session, name: str, arguments: bytes, value: int) -> object:
    return _deploy(vm, name, arguments, value)


@cheatcode("deployCode(string,bytes32)")
def deploy_code_salted(vm: Session, name: str, salt: bytes) -> object:
    return _deploy(vm, name, salt=salt)


@cheatcode("deployCode(string,bytes,bytes32)")
def deploy_code_with_salted(vm: Session, name: str, arguments: bytes, salt: bytes) -> object:
    return _deploy(vm, name, arguments, salt=salt)


@cheatcode("deployCode(string,uint256,bytes32)")
def deploy_code_of_value_salted(vm: Session, name: str, value: int, salt: bytes) -> object:
    return _deploy(vm, name, value=value, salt=salt)


@cheatcode("deployCode(string,bytes,uint256,bytes32)")
def deploy_code_with_all(vm: Session, name: str, arguments: bytes, value: int, salt: bytes) -> object:
    return _deploy(vm, name, arguments, value, salt)
