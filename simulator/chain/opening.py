"""The two ends of forking a chain: choosing the block, once for a campaign, and reading its state, in every worker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from simulator.chain.block import find_block, same_block_check
from simulator.chain.cache import StateCache
from simulator.chain.client import ChainClient, open_nodes
from simulator.chain.folder import database_path, prune, recall_block, remember_block, sibling_databases
from simulator.chain.patience import Clock, Patience
from simulator.chain.single_flight import SingleFlight
from simulator.chain.state import ChainState
from simulator.endpoint import Endpoint
from simulator.errors import ChainError, ChainUnavailableError
from simulator.forked_block import ForkedBlock
from simulator.policy import USER, Policy, Request

_REQUEST = Request("rpcUrl")
AT_START = Patience(fetch=15.0)
WITH_CACHE = Patience(fetch=2.0)


@dataclass(frozen=True)
class PinnedBlock:
    """The block that a campaign forks. `offline` says, where no endpoint answered, why: the cache then stands in."""

    block: ForkedBlock
    offline: str = ""


def pin_block(
    urls: str, number: int | None, folder: Path, clock: Clock | None = None, policy: Policy = USER
) -> PinnedBlock:
    """The block `number`, or the newest, of the chain at these URLs; noted in the cache folder, which is pruned.

    Blocks for up to about 15 s. When nothing answers, a block that was asked for by its number and is known from an
    earlier campaign is taken from the folder. Raises `ChainError`, and `PolicyRefused` before anything is connected.
    """
    endpoints = policy.endpoints(_REQUEST, urls)
    known = None if number is None else recall_block(folder, endpoints, number)
    clock = clock or Clock()
    patience = AT_START if known is None else WITH_CACHE
    try:
        with closing(ChainClient(open_nodes(endpoints, clock), clock, patience)) as client:
            block = find_block(client, number)
    except ChainUnavailableError as error:
        if known is None:
            raise ChainError(f"rpcUrl: no answer from the chain: {error}") from error
        return PinnedBlock(known, str(error))
    except ChainError as error:
        raise ChainError(f"rpcUrl: {str(error).removeprefix('rpcUrl: ')}") from error
    _agree(endpoints, block, clock)
    remember_block(folder, endpoints, block)
    prune(folder, database_path(folder, block))
    return PinnedBlock(block)


def _agree(endpoints: tuple[Endpoint, ...], block: ForkedBlock, clock: Clock) -> None:
    """Every endpoint that answers now must be of the same chain and have the block."""
    if len(endpoints) < 2:
        return
    for named in open_nodes(endpoints, clock):
        try:
            with closing(ChainClient([named], clock, Patience(fetch=0.0), same_block_check(block))) as client:
                client.ask([])
        except ChainUnavailableError:
            continue
        except ChainError as error:
            raise ChainError(f"rpcUrl: {named[0]}: {error}") from error


def open_state(
    urls: str, block: ForkedBlock, folder: Path, clock: Clock, warn: Callable[[str], None], policy: Policy = USER
) -> ChainState:
    """The state of a pinned block, for one process. Nothing is connected before something is missing from the cache.
    Raises `ChainError` for URLs that are none, and `PolicyRefused`."""
    path = database_path(folder, block)
    endpoints = policy.endpoints(_REQUEST, urls)
    client = ChainClient(open_nodes(endpoints, clock), clock, Patience(), same_block_check(block))
    return ChainState(
        block,
        client,
        clock,
        StateCache(path, warn),
        SingleFlight(path.with_name(path.name + "-lock"), clock.wait),
        lambda: sibling_databases(folder, block),
    )
