"""A scripted agent: it reads the target through the tools, plans sequences that break a test, and injects them."""
