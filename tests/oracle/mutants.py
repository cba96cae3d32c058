"""Tests of the tests: known defects, each planted in the naive engine, each to be found.

``PYTHONPATH=src:tests python -m oracle.mutants [TEST...]`` runs every test module on the sound naive engine
(it must pass) and on each mutant (each of the named modules must fail), and prints a table. As a plugin
(``-p oracle.mutants``, with the mutant's name in ``KLEENE_MUTANT``) it installs one mutant. Not part of the
fast suite: it takes some three minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
SOUND = "sound"


@dataclass(frozen=True)
class Mutant:
    """Replace `old` by `new` in one of the two files; `killers` are the test modules that should notice."""

    name: str
    old: str
    new: str
    killers: tuple[str, ...]


def _m(name: str, killers: str, old: str, new: str) -> Mutant:
    return Mutant(name, old, new, tuple(killers.split()))


MUTANTS = (
    # evaluation
    _m("& is max", "evaluate", "return min(evaluate(s, left, z)", "return max(evaluate(s, left, z)"),
    _m("| is min", "evaluate", "return max(evaluate(s, left, z)", "return min(evaluate(s, left, z)"),
    _m(
        "E starts from 1",
        "evaluate",
        "for u in s.universe), default=0.0",
        "for u in s.universe), default=1.0",
    ),
    _m("E is join", "evaluate", "return max((min(_ac(s, u)", "return sum((min(_ac(s, u)"),
    _m("E ignores ac", "evaluate", "min(_ac(s, u), evaluate(s, body", "max(0.0, evaluate(s, body"),
    _m("A ignores ac", "evaluate", "max(1 - _ac(s, u), evaluate", "max(0.0, evaluate"),
    _m("A false on the empty universe", "evaluate", "default=1.0", "default=0.0"),
    _m(
        "== is 1 on summary nodes",
        "evaluate",
        'return 1.0 if s.value("sm", (z[left],)) == 0 else HALF',
        "return 1.0",
    ),
    _m("unknown ? is max", "evaluate", "join_values(a, b) if c == HALF", "max(a, b) if c == HALF"),
    _m(
        "<-> is 1 for two unknowns",
        "evaluate",
        "return max(min(a, b), min(1 - a, 1 - b))",
        "return float(a == b)",
    ),
    _m(
        "TC ignores ac of inner nodes",
        "evaluate",
        "min(best[u], _ac(s, u), step[u, w])",
        "min(best[u], step[u, w])",
    ),
    _m("TC is reflexive", "evaluate", "return best[end]", "return best[end] if start != end else 1.0"),
    _m("TC of at most two steps", "evaluate", "if longer == best:", "if longer == best or (best := longer):"),
    _m("TC loses outer variables", "evaluate", "{**z, a: u, b: w}", "{**{v: u for v in z}, a: u, b: w}"),
    # embedding
    _m("embedding need not be onto", "embedding", "if _ac(b, target) == 1 and not sources:", "if False:"),
    _m("non-summary nodes may be merged", "embedding", 'b.value("sm", (target,))', "HALF"),
    _m("1/2 is below 1", "embedding", "return b in (a, HALF)", "return a == b or HALF in (a, b)"),
    _m("isomorphism ignores binary predicates", "embedding", "if p.arity != 1]", "if p.arity == 0]"),
    # blur
    _m("merging forgets sm", "blur post", "values.append(float(len(groups[images[0]]) > 1))", "pass"),
    _m(
        "-b2 ignored",
        "blur",
        "    if definite_names:\n        return _definite",
        "    if False:\n        return _definite",
    ),
    _m("-b2 takes 1/2 for 1", "blur", "{x, y} == {0.0, 1.0}", "x != y and 0.0 in (x, y)"),
    _m(
        "blur keeps the first value",
        "blur post",
        "return found.pop() if len(found) == 1 else HALF",
        "return max(found)",
    ),
    _m("nodes not sorted", "blur", "blurred.universe.sort(", "(lambda key: None)("),
    # coerce
    _m(
        "1/2 bodies fire",
        "coerce",
        "if evaluate(result, rule.body, z) != 1:",
        "if evaluate(result, rule.body, z) == 0:",
    ),
    _m(
        "maybe-active nodes fire",
        "coerce",
        "if any(_ac(result, node) != 1 for node in z.values()):",
        "if False:",
    ),
    _m(
        "heads are not negated",
        "coerce",
        "tuple(z[v] for v in args), 0.0)",
        "tuple(z[v] for v in args), 1.0)",
    ),
    _m(
        "contradictions survive",
        "coerce",
        "    if old != HALF:\n        return None",
        "    if old != HALF:\n        return False",
    ),
    _m(
        "repairs discard",
        "coerce focus post",
        "    s.set(predicate, nodes, wanted)\n    return True",
        "    return None",
    ),
    _m("one sweep only", "coerce", "changed |= repaired", "pass"),
    _m(
        "== of a summary node with itself discards",
        "coerce",
        "if z[left] == z[right] else None",
        "if False else None",
    ),
    _m(
        "reversed head of function",
        "coerce post",
        "(And(at(c, a), different), Not(at(c, b)))",
        "(And(at(c, a), different), at(c, b))",
    ),
    _m(
        "definition not negated",
        "coerce",
        "Rule(Not(p.definition), Not(atom))",
        "Rule(p.definition, Not(atom))",
    ),
    _m("symmetric taken for antisymmetric", "coerce", "(at(a, b), at(b, a))]", "(at(a, b), Not(at(b, a)))]"),
    # focus
    _m("focus drops case 0", "focus", "for value in (0.0, 1.0):", "for value in (1.0,):"),
    _m("focus drops case 1", "focus", "for value in (0.0, 1.0):", "for value in (0.0,):"),
    _m("focus does not split", "focus", "        if summary:\n", "        if False:\n"),
    _m(
        "the split copy has no edges",
        "focus",
        "for t in case.tuples(p.name):",
        "for t in [t for t in case.tuples(p.name) if len(t) < 2]:",
    ),
    _m(
        "the split parts are no summary nodes",
        "focus",
        "case.set(predicate, nodes, 0.0)",
        'case.set(predicate, nodes, 0.0)\n        case.set("sm", (node,), 0.0)',
    ),
    _m("focus does nothing", "focus", "waiting = [from_structure(structure)]", "return [structure]"),
    _m(
        "focus adds a structure",
        "focus",
        "found = []\n        for value",
        "found = [s.copy()]\n        found[0].values['sm'] = {(u,): HALF for u in s.universe}\n"
        "        found[0].values[atom.predicate] = {}\n        for value",
    ),
    # the step
    _m(
        "preconditions must be certain",
        "post",
        "if naive.evaluate(s, precondition, z) == 0:",
        "if naive.evaluate(s, precondition, z) != 1:",
    ),
    _m(
        "messages must be certain",
        "post",
        "naive.evaluate(s, m.condition, z) != 0",
        "naive.evaluate(s, m.condition, z) == 1",
    ),
    _m(
        "post messages must be certain",
        "post",
        "naive.evaluate(blurred, m.condition, {}) != 0",
        "naive.evaluate(blurred, m.condition, {}) == 1",
    ),
    _m(
        "updates see each other",
        "post",
        "naive.evaluate(extended, update.formula, at)",
        "naive.evaluate(result, update.formula, at)",
    ),
    _m(
        "updates see the structure without new nodes",
        "post",
        "extended = self.created(s, z)\n",
        "extended = self.created(s, z)\n        extended.values['isNew'] = {}\n",
    ),
    _m(
        "retain evaluated after the update",
        "post",
        "value = naive.evaluate(s, self.action.retain",
        "value = naive.evaluate(result, self.action.retain",
    ),
    _m("retain keeps maybe", "post", 'result.set("ac", (u,), min(value, s.value("ac", (u,))))', "pass"),
    _m(
        "retain removes maybe",
        "post",
        "if value == 0:\n                    result.remove",
        "if value != 1:\n                    result.remove",
    ),
    _m("new of a summary node is one node", "post", 'result.set("sm", (new,), s.value("sm", (u,)))', "pass"),
    _m(
        "new nodes are certain",
        "post",
        'self.add(result, min(value, s.value("ac", (u,))))',
        "self.add(result, 1.0)",
    ),
    _m(
        "instance is 1 on summary nodes (TVLA)",
        "post",
        'return HALF if s.value("sm", (u,)) == HALF else 1.0',
        "return 1.0",
    ),
    _m(
        "clone forgets edges",
        "post",
        "if t and all(u in copy_of for u in t)]:",
        "if len(t) == 1 and all(u in copy_of for u in t)]:",
    ),
    _m("isNew stays", "post", 'result.values["isNew"] = {}', "pass"),
    _m(
        "first assignment only",
        "post",
        "outcome.structures.append(result)",
        "outcome.structures = outcome.structures or [result]",
    ),
    # joins
    _m(
        "partial join keeps the left value",
        "join",
        "result.set(p.name, nodes, join_values(a.value(p.name, nodes), other))",
        "pass",
    ),
    _m("missing nodes stay active", "join", 'if p.name == "ac" and len(values) < 2:', "if False:"),
    _m(
        "missing tuples count as 0",
        "join",
        "if all(k in known for k in keys)",
        "if all(k in known for k in keys) or p.arity != 2",
    ),
)


def sources(mutant: str) -> dict[str, str]:
    """The source of the two modules with one defect planted."""
    texts = {name: (HERE / f"{name}.py").read_text() for name in ("naive", "naive_engine")}
    if mutant != SOUND:
        (chosen,) = (m for m in MUTANTS if m.name == mutant)
        places = [name for name, text in texts.items() if text.count(chosen.old) >= 1]
        if len(places) != 1:
            raise ValueError(f"{mutant}: the text to replace occurs in {places or 'no file'}")
        texts[places[0]] = texts[places[0]].replace(chosen.old, chosen.new)
    engine = texts["naive_engine"].replace("from . import naive\n", "import oracle_engine_naive as naive\n")
    return {
        "oracle_engine_naive": texts["naive"],
        "oracle_engine": engine.replace("from .naive import", "from oracle_engine_naive import"),
    }


def install(mutant: str) -> None:
    """Put the mutated engine in place of Kleene's modules."""
    for name, text in sources(mutant).items():
        module = ModuleType(name)
        sys.modules[name] = module
        exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    for name, members in sys.modules["oracle_engine"].modules().items():
        fake = ModuleType(name)
        fake.__dict__.update(members)
        sys.modules[name] = fake


if "KLEENE_MUTANT" in os.environ and __name__ != "__main__":
    install(os.environ["KLEENE_MUTANT"])


def passes(mutant: str, test: str) -> bool:
    """Whether a test module passes with a mutant installed."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "oracle.mutants",
        str(HERE / f"test_{test}.py"),
    ]
    environment = {**os.environ, "KLEENE_MUTANT": mutant, "HYPOTHESIS_PROFILE": "quick"}
    result = subprocess.run(command, env=environment, capture_output=True, check=False, cwd=HERE.parent.parent)
    if result.returncode not in (0, 1):
        raise RuntimeError(result.stdout.decode() + result.stderr.decode())
    return result.returncode == 0


def main(wanted: list[str]) -> int:
    """Print which mutants are killed by which test module; 1 if one survives."""
    tests = ("evaluate", "embedding", "blur", "coerce", "focus", "post", "join")
    chosen = [m for m in MUTANTS if not wanted or any(w in m.killers for w in wanted)]
    jobs = [(SOUND, t) for t in tests if not wanted or t in wanted]
    jobs += [(m.name, t) for m in chosen for t in m.killers if not wanted or t in wanted]
    failures = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, test), passed in zip(jobs, pool.map(lambda job: passes(*job), jobs), strict=True):
            good = passed == (name == SOUND)
            failures += not good
            verdict = "passes" if passed and good else "killed" if good else "SURVIVES" if passed else "FAILS"
            sys.stdout.write(f"{verdict:9} {test:10} {name}\n")
            sys.stdout.flush()
    return int(failures > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
