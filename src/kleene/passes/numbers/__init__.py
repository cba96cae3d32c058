"""What is known of numbers, written into automata for the shape analysis, which tells only a few constants apart.

In reading order:

- `signs`: results that are an index, or a constant that says that there is none
- `inputs`: tests of numbers from outside that one number decides
- `heights`: what comparisons of heights say about children that are not there
"""
