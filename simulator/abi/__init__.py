"""The contract ABI: types, codec, descriptions of contracts, text forms, values."""
