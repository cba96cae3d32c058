"""Which pointers are the parents of blocks: nothing is lost."""
