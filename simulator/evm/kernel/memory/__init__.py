"""What EVM memory holds and is hashed or logged from."""
