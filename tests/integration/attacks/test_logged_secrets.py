"""The log of commands as clients see it that may only read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.campaign.extensions.commands import CommandTools, ListCommandsInput
from tools.command_file import COMMANDS_FILE
from tools.command_log import CommandLog

KEY = "8c1fa3f09b2d4e"


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({"rpcUrl": f"https://node.example/v2/{KEY}"}, "https://node.example"),
        ({"rpcUrl": f"http://user:{KEY}@node.example:8545,https://other.example/{KEY}"}, "http://node.example:8545"),
        ({"rpcUrl": [f"https://node.example/v2/{KEY}"]}, "***"),
        ({"rpcUrl": f"no url {KEY}", "seqLen": 5}, '"seqLen":5'),
        ({"etherscanApiKey": KEY}, "***"),
    ],
)
async def test_keys_of_nodes_are_in_no_log(tmp_path: Path, settings: dict[str, object], shown: str):
    """Neither in the answer of the tool nor in the file; the rest of the command is."""
    log = CommandLog(lambda: 1_766_226_645.5)
    arguments = {"paths": ["C.sol"], "settings": settings}
    async with log.writing_to(tmp_path):
        async with log.command("start_campaign", arguments):
            pass
        await log.never_begun("start_campaign", arguments, "refused")
    told = await CommandTools(lambda: log.newest).list_commands(ListCommandsInput())
    written = (tmp_path / COMMANDS_FILE).read_text()
    assert KEY not in f"{told}{written}"
    for line in written.splitlines():
        arguments_shown = json.dumps(json.loads(line)["args"], separators=(",", ":"))
        assert "C.sol" in arguments_shown
        assert shown in arguments_shown
