"""The examples at the end of each command's help."""

from __future__ import annotations

_EXAMPLES: dict[str, tuple[str, ...]] = {
    "check": (
        "kleene check list.c",
        "kleene check list.c --trace --html report.html",
        "kleene check list.c --sarif findings.sarif --baseline old.sarif",
        "kleene check task.yml --witness witness.yml",
    ),
    "batch": (
        "kleene batch src/ --output results --sarif findings.sarif",
        "kleene batch tasks/ --cluster local:4 --timeout 300 --memory 4000",
        "kleene batch tasks/ --cluster tcp://head:8786 --output results",
    ),
    "validate": ("kleene check list.c --witness witness.yml", "kleene validate witness.yml"),
    "recheck": ("kleene check list.c --refine --certificate proof.json", "kleene recheck proof.json"),
    "shapes": ("kleene shapes", "kleene shapes --html shapes.html"),
    "run": ("kleene run reverse.tvp lists.tvs", "kleene run reverse --html report.html --explain n6"),
    "assume": ("kleene assume spec.tvp in.tvs --formula 'E(v) x(v)'",),
    "alpha": ("kleene alpha spec.tvp --formula 'E(v) x(v)'",),
    "meet": ("kleene meet spec.tvp one.tvs two.tvs",),
    "transform": ("kleene transform spec.tvp in.tvs --action 'next(y, x)'",),
    "contracts": ("kleene contracts spec.tvp procedures.contracts",),
    "show": ("kleene show lists.tvs", "kleene show lists.tvs --html lists.html"),
    "diff": ("kleene diff reverse.tvp before.tvs after.tvs",),
    "lsp": ("kleene lsp", "kleene lsp --tcp 2087"),
    "examples": ("kleene examples tutorial", "kleene check tutorial/c/sll/reverse.c --invariants"),
    "doctor": ("kleene doctor",),
    "completion": (
        "kleene completion bash > ~/.local/share/bash-completion/completions/kleene",
        "kleene completion zsh > ~/.zfunc/_kleene",
        "kleene completion fish > ~/.config/fish/completions/kleene.fish",
    ),
}


def epilog_of(name: str) -> str:
    """The examples of a command as click's epilog; the mark keeps its lines."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in _EXAMPLES[name])
