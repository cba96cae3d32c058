"""The FESA domain against explicit vectors, explicit heaps and random programs."""
