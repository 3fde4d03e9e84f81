"""The MCP facade: tool families, registry, validation, deadlines, error rendering and transports."""
