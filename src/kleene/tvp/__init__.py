"""TVP text to a `Program`: vocabulary, rules and a graph of actions; knows no engine and no C.

In reading order:

- `program`: loading and checking
- `syntax`: the syntax tree
- `syntax_variables`: free variables of formulas as they are written
- `parser`: whole files
- `action_parser`: actions
- `formula_parser`: names, sets, formulas, messages
- `expand`: from the syntax tree to a program
- `declarations`: sets, predicates, rules
- `predicates`: declarations and uses of predicates
- `sets`: sets of names
- `scope`: scopes and reported errors
- `instantiate`: actions with their arguments
- `lower`: formulas of the syntax tree as formulas of the logic
- `focus_warnings`: focus that may not end
- `printer`: syntax trees as text
"""

from kleene.tvp.program import Program, load_program, parse_formula, parse_program, program_text

__all__ = ["Program", "load_program", "parse_formula", "parse_program", "program_text"]
