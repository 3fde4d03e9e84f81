"""Storage variables of contracts by name: where the compiler puts them, and what they hold."""
