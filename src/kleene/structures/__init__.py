"""Three-valued structures, TVS text, and formulas compiled to bit-parallel programs; knows no actions, no C."""
