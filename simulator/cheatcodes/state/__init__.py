"""Cheatcodes that change or read the chain: accounts, block, storage, pranks, snapshots, forks."""
