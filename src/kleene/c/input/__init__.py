"""What a C compiler is told about its input: options, the compilation database, the folders of headers.

In reading order:

- `compiler_options`: options as a compiler takes them
- `database`: `compile_commands.json`
- `system_headers`: the headers of the machine, where ours lack something
"""
