"""The contracts under test: deployed, discovered, and what is called on them."""
