"""The campaign actor: its books, lifecycle, budget and tests, and the messages it receives."""
