"""What `monotreme serve` and `fuzz --mcp-port` print before agents can connect."""

import re
from collections.abc import AsyncIterator

import trio

from tests.support.patience import PATIENCE


async def told_address(stderr: AsyncIterator[bytes]) -> tuple[str, str]:
    """Read on until the program has said where agents connect; returns the URL and the token with control."""
    told = b""
    with trio.fail_after(PATIENCE):
        async for part in stderr:
            told += part
            if b"kept in" in told:
                break
    text = told.decode()
    url, token = re.search(r"agents connect to (\S+)", text), re.search(r"token with control: (\S+)", text)
    assert url is not None, text
    assert token is not None, text
    return url.group(1), token.group(1)
