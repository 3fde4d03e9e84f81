"""The facade over the Model Context Protocol: binding to the SDK's server, transports, access."""
