"""`monotreme replay-commands`: what was commanded of one campaign, commanded of a fresh one."""
