"""Accounts, storage and the journal that undoes their changes."""
