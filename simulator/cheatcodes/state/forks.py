"""Forks of live chains: `createSelectFork`, `rollFork`, ... A campaign has one fork, of `rpcUrl` and `rpcBlock`, and
is on it from the start, so whatever asks for that one is granted."""

from __future__ import annotations

from simulator.cheatcodes.core.errors import CheatcodeError, UnsupportedError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session
from simulator.compile.projects.foundry_config import rpc_aliases
from simulator.endpoint import parse_endpoints
from simulator.errors import ChainError, CompileError
from simulator.settings import ForkSettings

THE_FORK = 0


def _fork(vm: Session, name: str) -> ForkSettings:
    if vm.fork is None:
        raise _unsupported(vm, f"the cheatcode vm.{name} is not supported without rpcUrl")
    return vm.fork


def _unsupported(vm: Session, text: str) -> UnsupportedError:
    vm.warn_once(text)
    return UnsupportedError(text)


def _require_block(vm: Session, fork: ForkSettings, name: str, number: int) -> None:
    if number != fork.block.number:
        raise _unsupported(
            vm,
            f"vm.{name}: the campaign forks block {fork.block.number}; no other one is supported:"
            f" set rpcBlock to {number}",
        )


def _require_chain(vm: Session, fork: ForkSettings, name: str, url: str) -> None:
    """An alias of foundry.toml is believed, and told; a URL must be one of the campaign's."""
    if "://" not in url:
        vm.warn_once(f"vm.{name}: {url!r} is taken for the campaign's fork, {fork.block.describe()}")
        return
    try:
        wanted = parse_endpoints(url)
    except ChainError as error:
        raise CheatcodeError(f"vm.{name}: {error}") from error
    if not set(wanted) <= set(parse_endpoints(fork.urls)):
        raise _unsupported(vm, f"vm.{name}: the campaign forks the chain at rpcUrl; no other one is supported")


def _register_creation(name: str) -> None:
    """`createFork` and `createSelectFork`: the campaign is on its fork anyway."""

    @cheatcode(f"{name}(string)")
    def create(vm: Session, url: str) -> int:
        _require_chain(vm, _fork(vm, f"{name}(string)"), name, url)
        return THE_FORK

    @cheatcode(f"{name}(string,uint256)")
    def create_at(vm: Session, url: str, number: int) -> int:
        fork = _fork(vm, f"{name}(string,uint256)")
        _require_chain(vm, fork, name, url)
        _require_block(vm, fork, name, number)
        return THE_FORK


_register_creation("createFork")
_register_creation("createSelectFork")


@cheatcode("selectFork(uint256)")
def select_fork(vm: Session, number: int) -> None:
    _fork(vm, "selectFork(uint256)")
    if number != THE_FORK:
        raise CheatcodeError(f"vm.selectFork: there is no fork {number}; the campaign's has the number {THE_FORK}")


@cheatcode("activeFork()")
def active_fork(vm: Session) -> int:
    _fork(vm, "activeFork()")
    return THE_FORK


@cheatcode("rollFork(uint256)")
def roll_fork(vm: Session, number: int) -> None:
    _require_block(vm, _fork(vm, "rollFork(uint256)"), "rollFork", number)


@cheatcode("rollFork(uint256,uint256)")
def roll_fork_of(vm: Session, _fork_number: int, number: int) -> None:
    _require_block(vm, _fork(vm, "rollFork(uint256,uint256)"), "rollFork", number)


@cheatcode("rpcUrl(string)")
def rpc_url(vm: Session, alias: str) -> str:
    """The alias itself, which `createFork` takes too: contracts do not learn the URL and the keys in it."""
    if vm.fork is None and "://" not in alias and alias not in _aliases(vm):
        raise CheatcodeError(f"invalid rpc url: {alias}")
    _fork(vm, "rpcUrl(string)")
    return alias


@cheatcode("rpcUrls()")
def rpc_urls(vm: Session) -> tuple[tuple[str, str], ...]:
    """Pairs of alias and URL, where foundry.toml names none: contracts do not learn the URLs."""
    if _aliases(vm):
        raise _unsupported(vm, "the cheatcode vm.rpcUrls() is not supported where foundry.toml names endpoints")
    return ()


def _aliases(vm: Session) -> frozenset[str]:
    try:
        return rpc_aliases(vm.root, policy=vm.policy)
    except CompileError as error:
        raise CheatcodeError(str(error)) from None


@cheatcode(
    "makePersistent(address)",
    "makePersistent(address,address)",
    "makePersistent(address,address,address)",
    "makePersistent(address[])",
    "revokePersistent(address)",
    "revokePersistent(address[])",
)
def without_effect(_vm: Session, *_accounts: object) -> None:
    """Accounts persist over changes of the fork, and there are none."""


@cheatcode("isPersistent(address)")
def is_persistent(_vm: Session, _account: int) -> bool:
    return True
