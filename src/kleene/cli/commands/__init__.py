"""The commands: each module has one `command`.

In reading order:

- `check`: C programs
- `batch`: many programs
- `recheck`: a certificate
- `validate`: a witness
- `shapes`: the library of shape classes
- `run`: a TVP program
- `contracts`: TVP procedures
- `assume`: assume
- `alpha`: alpha-hat
- `meet`: meet
- `transform`: best transformers
- `show`: structures, drawn
- `diff`: two results
- `completion`: shell completion
- `lsp`: the language server
- `examples`: the shipped examples, copied
- `doctor`: what is installed
"""
