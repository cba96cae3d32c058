"""TVP text to a `Program`: vocabulary, rules and a graph of actions; knows no engine and no C."""

from kleene.tvp.program import Program, load_program, parse_formula, parse_program, program_text

__all__ = ["Program", "load_program", "parse_formula", "parse_program", "program_text"]
