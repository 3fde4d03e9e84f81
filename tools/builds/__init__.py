"""Builds, tests, linters and installs with structured diagnostics, and the logs behind them."""
