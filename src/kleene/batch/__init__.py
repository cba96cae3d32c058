"""Many programs at once: finding them, sharing the work between processes and machines, collecting the results.

In reading order:

- `jobs`: the programs of a batch
- `worker`: one program in a process
- `pool`: several processes
- `shared_folder`: machines that share a folder
"""
