"""Many programs at once: found, run in processes or on a cluster, and kept in one SQLite file.

In reading order:

- `jobs`: the programs in folders
- `run`: a batch from its jobs to its results
- `store`: results in SQLite
- `engines`: processes of this machine, or a Dask cluster
- `shipping`: a job as a task that a worker can run
- `task`: one check in a process of its own
- `child`: the limits of that process
"""
