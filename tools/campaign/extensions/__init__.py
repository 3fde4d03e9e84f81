"""Campaign tools beyond those of the contract, a module for each purpose."""
