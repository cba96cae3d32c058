"""What an Action does to structures: focus, coerce, update, blur, and derived updates; knows no program text."""
