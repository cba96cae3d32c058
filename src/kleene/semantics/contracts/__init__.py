"""Contracts of C functions: assume-guarantee reasoning (TACAS 2004, section 1.1).

In reading order:

- `programs`: a body or a call by contract as a program
- `parts`: automata under construction
- `shapes`: shapes that are taken and given
- `words`: contracts in words
- `formulas`: contracts in formulas
- `specifications`: the meaning of formulas
"""
