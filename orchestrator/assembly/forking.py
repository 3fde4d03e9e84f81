"""The forked chain of a campaign: its block is chosen here, once, so that all workers see the same one."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
import trio

from actors.events.types import ChainForked
from orchestrator.configuration.request import CampaignRequest
from simulator.policy import Policy
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
    """Choose the block while the block of code runs; the result is there once it has ended, and `tell` is called when
    that is waited for. Raises `ChainError` or `PolicyRefused`, in a group, as soon as it is clear that the chain cannot
    be forked. Cancelling does not wait for the node.
    """
    forking = Forking()
    async with trio.open_nursery() as nursery:
        if request.configuration.rpc_url:
            nursery.start_soon(_pin, forking, request, request.configuration.rpc_url)
        yield forking
        if request.configuration.rpc_url and forking.settings is None:
            tell("waiting for the forked chain")


async def _pin(forking: Forking, request: CampaignRequest, urls: str) -> None:
    pinned = await trio.to_thread.run_sync(
        _find, urls, request.configuration.rpc_block, request.policy, abandon_on_cancel=True
    )
    forking.settings, forking.event = pinned


def _find(urls: str, number: int | None, policy: Policy) -> tuple[ForkSettings, ChainForked]:
    # Certificates and databases take a moment to load, which campaigns without a chain do not wait for.
    from simulator.chain.folder import chain_folder
    from simulator.chain.opening import pin_block
    from simulator.files.user_folders import user_cache_folder

    folder = chain_folder(user_cache_folder())
    pinned = pin_block(urls, number, folder, policy=policy)
    block = pinned.block
    event = ChainForked(block.chain_id, block.number, "0x" + block.hash.hex(), pinned.offline)
    return ForkSettings(urls, block, os.fsencode(folder)), event
