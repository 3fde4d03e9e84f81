"""Solidity compilers: where they come from, how they are run, what they are given and answer."""
