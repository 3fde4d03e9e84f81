"""What a cluster costs compared with processes of this machine."""
