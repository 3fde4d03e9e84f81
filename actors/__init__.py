"""The campaign's actors: one module each, owning its state, speaking frozen messages over bounded trio channels."""
