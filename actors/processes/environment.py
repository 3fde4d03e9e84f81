"""The environment of a command: an allow list, and nothing that looks like a secret."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

KEPT_VARIABLES = (
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "MONOTREME_CACHE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
)
BUILD_VARIABLES = (
    *KEPT_VARIABLES,
    "USER",
    "LOGNAME",
    "TZ",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "JAVA_HOME",
    "GOPATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "VIRTUAL_ENV",
    "SOLC_VERSION",
)
BUILD_PREFIXES = ("LC_", "DOTNET_", "NUGET_", "NPM_CONFIG_", "npm_config_", "PNPM_", "BUN_", "FOUNDRY_")
SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|PRIVATE|MNEMONIC|SESSION|COOKIE|(^|_)(API_?)?KEY($|_)|RPC_URL|DATABASE_URL"
    r"|CONNECTION_STRING|^AWS_|^GITHUB_|^AZURE_|^GOOGLE_",
    re.IGNORECASE,
)


def scrubbed_environment(names: Sequence[str] = KEPT_VARIABLES, **extra: str) -> dict[str, str]:
    """This process's environment reduced to `names`, and `extra`: no tokens, keys or Python paths reach a child."""
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, **extra}


def build_environment(own: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment of build tools: their caches, proxies and settings from `own` (this process's environment), without
    any variable whose name looks like a secret, and settings that keep output plain and nobody waiting for an answer.
    """
    source = os.environ if own is None else own
    kept = {
        name: value
        for name, value in source.items()
        if (name in BUILD_VARIABLES or name.startswith(BUILD_PREFIXES)) and not SECRET.search(name)
    }
    return {**kept, "NO_COLOR": "1", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"}
