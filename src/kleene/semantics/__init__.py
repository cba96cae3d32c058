"""C operations over a shape class as Actions: the memory model of C in three-valued logic."""
