"""The MCP facade: tool families, registry, validation, deadlines and transports."""
