"""Family `campaign`: the nine tools of contract 004, and what agents need beyond them, over a running campaign."""
