"""Many programs at once: finding them, sharing the work between processes and machines, collecting the results."""
