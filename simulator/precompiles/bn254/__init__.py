"""The curve alt_bn128 (BN254) and its three contracts, addresses 0x06 to 0x08: EIP-196, EIP-197, EIP-1108.

Written here on Python's integers because no maintained package offers this curve at speed: py_ecc takes 0.2 s for a
pairing, this folder 7 to 15 ms.
"""
