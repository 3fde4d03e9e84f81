"""Cheatcodes that expect: assertions, assumptions, expected calls, reverts, emits, creations, mocks."""
