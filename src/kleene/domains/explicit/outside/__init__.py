"""What a program gets from outside: texts, what unknown code writes, and a search for the lengths that break it.

In reading order:

- `given`: what unknown code leaves in the objects that it is given
- `world`: arguments, input and numbers of one run
- `vocabulary`: the sizes, texts and characters that a program names
- `short_texts`: short inputs of what a program names
- `keys`: runs of many operations on few keys
- `lengths`: runs on texts whose lengths are solved for
- `formats`: errors that depend on the text that a format gives
"""
