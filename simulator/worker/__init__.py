"""The worker process: `python -m simulator.worker` speaks length-prefixed MessagePack frames on stdin and stdout."""
