"""The forked chain of a campaign: its block is chosen here, once, so that all workers see the same one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
import trio

from actors.messages import ChainForked
from orchestrator.configuration.request import CampaignRequest
from simulator.settings import CampaignSettings, ForkSettings


@dataclass
class Forking:
    """The result of `pinned_chain`: settings and event are None without a chain."""

    settings: ForkSettings | None = None
    event: ChainForked | None = None

    def apply(self, settings: CampaignSettings) -> CampaignSettings:
        """The settings with the chain in them."""
        return msgspec.structs.replace(settings, fork=self.settings)


@asynccontextmanager
async def pinned_chain(request: CampaignRequest, tell: Callable[[str], None]) -> AsyncIterator[Forking]:
    """Choose the block while the block of code runs; the result is there once it has ended, and `tell` hears when that
    is waited for. Raises `ChainError`, in a group, as soon as it is clear that the chain cannot be forked. Cancelling
    does not wait for the node."""
    forking = Forking()
    async with trio.open_nursery() as nursery:
        if request.configuration.rpc_url:
            nursery.start_soon(_pin, forking, request.configuration.rpc_url, request.configuration.rpc_block)
        yield forking
        if request.configuration.rpc_url and forking.settings is None:
            tell("waiting for the forked chain")


async def _pin(forking: Forking, urls: str, number: int | None) -> None:
    pinned = await trio.to_thread.run_sync(_find, urls, number, abandon_on_cancel=True)
    forking.settings, forking.event = pinned


def _find(urls: str, number: int | None) -> tuple[ForkSettings, ChainForked]:
    # Certificates and databases take a moment to load, which campaigns without a chain do not wait for.
    from simulator.chain.folder import chain_folder
    from simulator.chain.opening import pin_block
    from simulator.compile.options import default_cache_directory

    folder = chain_folder(default_cache_directory())
    pinned = pin_block(urls, number, folder)
    block = pinned.block
    event = ChainForked(block.chain_id, block.number, "0x" + block.hash.hex(), pinned.offline)
    return ForkSettings(urls, block, str(folder)), event
