"""Single operations on all small memories, and long random runs of them."""
