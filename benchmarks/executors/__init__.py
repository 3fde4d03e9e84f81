"""Cost of a cluster compared with processes of this machine."""
