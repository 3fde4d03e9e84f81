"""Family `campaign`: the nine tools of its published contract, and extensions for agents, over a running campaign."""
