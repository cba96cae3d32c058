"""Batches: the store, the processes, the cluster, and what hostile programs can do to them."""
