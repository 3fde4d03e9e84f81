"""Ethereum's state tests (the GeneralStateTests format): parse, execute, compare state root and logs hash."""
