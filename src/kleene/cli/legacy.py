"""TVLA's own spelling of options, accepted as it stands (thesis Appendix C.7; language.md section 8)."""

from __future__ import annotations

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
}
_WITH_VALUE = {
    "-ms": "--max-structures",
    "-mm": "--max-messages",
    "-action": "--action",
    "-log": "--log",
    "-dump": "--dump",
    "-save": "--save",
    "-props": "--properties",
    "-path": "--include",
    "-tvs": "--tvs",
    "-dot": "--dot",
    "-xml": "--xml",
    "-tr:tvs": "--transitions-tvs",
    "-tr:dot": "--transitions-dot",
    "-mode": "--mode",
}
_JOIN_LOCATIONS = {"all", "ext", "back"}


def translated(arguments: list[str]) -> list[str]:
    """The arguments with TVLA's spellings replaced; everything else is left alone."""
    result: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word in _FLAGS:
            result.append(_FLAGS[word])
        elif word == "-single":
            result += ["--join", "ind"]
        elif word == "-join":
            value = waiting.pop(0) if waiting else ""
            result += ["--save" if value in _JOIN_LOCATIONS else "--join", value]
        elif word in _WITH_VALUE:
            result.append(_WITH_VALUE[word])
            result += waiting[:1]
            waiting = waiting[1:]
        elif word.startswith("-D") and len(word) > 2:
            result += ["--define", word[2:]]
        elif word == "-diff" and result == ["run"]:
            result = ["diff"]
        else:
            result.append(word)
    return result
