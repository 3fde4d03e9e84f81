"""The program that talks to Ray for a campaign, and the actor that it puts on each node. asyncio, as Ray's own API."""
