"""The seven contracts of EIP-2537 on the curve BLS12-381, from Prague: addresses 0x0b to 0x11."""
