"""Contestants: our kernel and campaigns, revm and forge, on the same contracts."""
