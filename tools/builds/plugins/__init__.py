"""The build plugins, in the order in which they are published. A plugin is one module; it is added here."""

from __future__ import annotations

from tools.builds.plugin import Plugin
from tools.builds.plugins import (
    bun_install,
    dotnet_build,
    dotnet_test,
    eslint_lint,
    forge_build,
    forge_test,
    npm_install,
    npm_test,
    pnpm_install,
    pytest_run,
    slither_analyze,
    solc_compile,
)

PLUGINS: tuple[Plugin, ...] = (
    dotnet_build.PLUGIN,
    dotnet_test.PLUGIN,
    npm_install.PLUGIN,
    pnpm_install.PLUGIN,
    bun_install.PLUGIN,
    eslint_lint.PLUGIN,
    forge_build.PLUGIN,
    forge_test.PLUGIN,
    solc_compile.PLUGIN,
    slither_analyze.PLUGIN,
    pytest_run.PLUGIN,
    npm_test.PLUGIN,
)
