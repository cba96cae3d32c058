"""Shape-class generators (BHTZ10, sections 2.3 and 3).

In reading order:

- `language`: the language of the library
- `library`: the entries, built in and of the user
- `generators`: generators, ordered by refinement
- `shape_types`: one generator for each structure type
- `finetune`: the coarsest generator that rules out a path
- `parallel`: simulations in parallel processes
"""
