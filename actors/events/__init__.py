"""The event log: event types, the ring of recent events, and the file of all of them."""
