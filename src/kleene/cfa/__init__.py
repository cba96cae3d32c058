"""Locations, edges and control-flow graphs; knows nothing of what an edge does."""
