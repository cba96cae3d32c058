"""TVLA's own spelling of options, accepted as it stands (thesis Appendix C.7; docs/manual/running.md)."""

from __future__ import annotations

from kleene.diagnostics import UsageError

# Options of one word with a single dash, and the long name that explains itself.
_FLAGS = {
    "-d": "--debug",
    "-post": "--post-order",
    "-b2": "--definite-names",
    "-significant": "--significant",
    "-noautomatic": "--no-automatic-rules",
    "-rotate": "--rotate",
    "-backward": "--backward",
    "-terse": "--quiet",
    "-nowarnings": "--skip-infinite-focus",
    "-help": "--help",
    "?": "--help",
    "-?": "--help",
    "/?": "--help",
}
_WITH_VALUE = {
    "-ms": "--max-structures",
    "-mm": "--max-messages",
    "-action": "--action",
    "-log": "--log",
    "-dump": "--dump",
    "-save": "--save",
    "-props": "--properties",
    "-tvs": "--tvs",
    "-dot": "--dot",
    "-tr:tvs": "--transitions-tvs",
    "-tr:dot": "--transitions-dot",
    "-D": "--define",
}
_JOIN_LOCATIONS = {"all", "ext", "back"}
# Options that Kleene does not have, and the nearest one that it has.
_REFUSED = {
    "-mode": "there is one engine for TVP programs, so -mode has no meaning; the nearest is --join",
    "-xml": "TVLA's XML is not written; --json has the control-flow graph and every structure",
}
_TERMINATION = ("-td", "-td.dot", "-td.summarizationOff", "-td.verbose")


def translate_arguments(arguments: list[str]) -> list[str]:
    """The arguments with TVLA's spellings replaced; everything else is left alone."""
    if arguments[:1] == ["check"]:  # its single dashes are those of a C compiler
        return arguments
    result: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word in _FLAGS:
            result.append(_FLAGS[word])
        elif word == "-single":
            result += ["--join", "ind"]
        elif word == "-join":
            value = _value(word, waiting)
            result += ["--save" if value in _JOIN_LOCATIONS else "--join", value]
        elif word in _TERMINATION:
            result.append("--termination")
            if word == "-td.dot":
                _value(word, waiting)
        elif word == "-path":
            result += [part for folder in _value(word, waiting).split(";") if folder for part in ("--include", folder)]
        elif word in _WITH_VALUE:
            result += [_WITH_VALUE[word], _value(word, waiting)]
        elif word.startswith("-D") and len(word) > 2:
            result += ["--define", word[2:]]
        elif word == "-diff" and result in ([], ["run"]):
            result = ["diff"]
        else:
            _refuse(word)
            result.append(word)
    return result


def _value(word: str, waiting: list[str]) -> str:
    if not waiting:
        raise UsageError(f"option '{word}' needs a value")
    return waiting.pop(0)


def _refuse(word: str) -> None:
    """An error for what TVLA has and Kleene has not, and for an unknown word with a single dash."""
    if word in _REFUSED:
        raise UsageError(_REFUSED[word])
    if len(word) > 2 and word[0] == "-" and word[1].isalpha():
        import difflib  # for mistakes only

        known = [*_FLAGS, *_WITH_VALUE, *_REFUSED, "-join", "-path", "-single", "-diff"]
        near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
        hint = f"; did you mean '{near[0]}'?" if near else "; 'kleene run --help' lists them"
        raise UsageError(f"there is no option '{word}'{hint}")
