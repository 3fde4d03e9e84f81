"""Servers for agents: the facade over this program's campaigns, on stdio and over HTTP."""
