"""What lets a campaign go on in another process: its checkpoint, written every few seconds and read by `--resume`."""
