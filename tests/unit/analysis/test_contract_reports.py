"""Reports of `--contracts`: what follows for the whole from the reports of its parts, which are made up here."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.semantics.contract_runs import program_of

from kleene.analysis.c import contracts as module
from kleene.analysis.c.contracts import CONTRACTS, _look, _Part, _together, check_contracts
from kleene.analysis.c.options import CheckOptions, check_options
from kleene.c.contracts import read_contracts
from kleene.cfa.operations import Call, Place
from kleene.cfa.program import CProgram
from kleene.core.verdict import DEFAULT_PROPERTIES, Finding, Verdict
from kleene.coverage.runs import Coverage
from kleene.diagnostics import UsageError
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.values import Fault
from kleene.results.check import CheckReport
from kleene.semantics.contracts.programs import BODY, CALLED

TEXT = """
/*@ requires list(a); ensures list(a); */ void words(struct node *a) { }
/*@ requires A(v) !c[next](v); ensures A(v) !c[next](v); */ void formal(struct node *a) { }
int main(void) { words(NULL); formal(NULL); return 0; }
"""
NAMES = ("main", "words", "formal")
ALL = DEFAULT_PROPERTIES
TRUE, FALSE, UNKNOWN = Verdict.TRUE, Verdict.FALSE, Verdict.UNKNOWN


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> CProgram:
    return program_of(tmp_path_factory.mktemp("contracts"), TEXT)


def report(*findings: Finding, traces: Sequence[Confirmed] = (), reason: str = "", **verdicts: Verdict) -> CheckReport:
    made = CheckReport(("p.c",), dict.fromkeys(ALL, TRUE) | verdicts, {}, list(findings), reason, 0.0)
    made.traces = list(traces)
    return made


def parts(program: CProgram, **reports: CheckReport | None) -> list[_Part]:
    """The three parts; what is not named is proved."""
    contracts = read_contracts(program)
    made = [_Part(contracts, contracts.get(name), program) for name in NAMES]
    for name, part in zip(NAMES, made, strict=True):
        part.report = reports[name] if name in reports else report()
    return made


def confirmed(kind: str, function: str = "main", detail: str = "", through: str = "main") -> Confirmed:
    """A run that ends with an error, and has a step of a function."""
    place = Place("p.c", 3, 4, function)
    step = SimpleNamespace(operation=SimpleNamespace(place=Place("p.c", 1, 1, through)))
    plain = SimpleNamespace(operation=SimpleNamespace(place=Place("p.c", 1, 1, "main")))
    return Confirmed(Fault(kind, place, "text", detail), SimpleNamespace(steps=[plain, step, plain]))  # type: ignore[arg-type]


def finding(kind: str, function: str = "main", status: str = "confirmed") -> Finding:
    return Finding(kind, "p.c", 3, 4, function, status, "the message", inputs=(1,))


def test_what_each_part_proves(program: CProgram) -> None:
    """With formulas, the caller owns the blocks that are left at the end of a body."""
    main, words, formal = parts(program)
    assert (main.name, words.name, formal.name) == ("main", "words", "formal")
    assert main.properties == words.properties == ALL
    assert formal.properties == tuple(name for name in ALL if name != "memcleanup")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_proved_rests_on_all_parts(program: CProgram, name: str) -> None:
    for answers in itertools.product((TRUE, UNKNOWN, FALSE), repeat=len(ALL)):
        verdicts = dict(zip(ALL, answers, strict=True))
        own = report(**verdicts)
        if name == "formal":
            del own.properties["memcleanup"]
        needed = {"memsafety", "assert"} | ({"memcleanup"} if name == "words" else set())
        kept = all(verdicts[n] is TRUE for n in needed)
        made = parts(program, **{name: own})
        assert made[NAMES.index(name)].keeps_contracts == kept
        together = _together(program, made, ALL)
        assert together.properties[CONTRACTS] is (TRUE if kept else UNKNOWN)
        for one in ALL:
            proved = kept and own.properties.get(one, TRUE) is TRUE
            assert together.properties[one] is (TRUE if proved else UNKNOWN)
        assert together.proved_by == {n: "contracts" for n, v in together.properties.items() if v is TRUE}
        assert bool(together.reason) == (UNKNOWN in together.properties.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_part_that_was_not_checked_proves_nothing(program: CProgram, name: str) -> None:
    made = parts(program, **{name: None})
    together = _together(program, made, ALL)
    assert set(together.properties.values()) == {UNKNOWN}
    assert together.reason == f"{name}: there was no time left"
    assert made[NAMES.index(name)].findings() == []


def test_only_what_is_asked_has_a_verdict(program: CProgram) -> None:
    together = _together(program, parts(program), ("memsafety",))
    assert together.properties == {"memsafety": TRUE, CONTRACTS: TRUE}


MEMORY, ASSERTION, LEAK = "null_dereference", "assertion", "memory_leak"
VIOLATED = {
    "a run of the program": ("main", finding(MEMORY), confirmed(MEMORY), {"memsafety"}),
    "an assertion of the program": ("main", finding(ASSERTION), confirmed(ASSERTION), {"assert"}),
    "a lost block": ("main", finding(LEAK), confirmed(LEAK, detail="lost"), {"memsafety", "memcleanup"}),
    "a block that is left": ("main", finding(LEAK), confirmed(LEAK, detail="exit"), {"memcleanup"}),
    "a call by contract comes before": ("main", finding(MEMORY), confirmed(MEMORY, through=f"{CALLED}words"), set()),
    "a body by contract comes before": ("main", finding(MEMORY), confirmed(MEMORY, through=f"{BODY}words"), set()),
    "a lost block after a call": ("main", finding(LEAK), confirmed(LEAK, through=f"{CALLED}words"), set()),
    "no run": ("main", finding(MEMORY, status="possible"), None, set()),
    "what a call requires": (
        "main", finding("assertion", f"{CALLED}words"), confirmed(ASSERTION, through=f"{CALLED}words"), {CONTRACTS},
    ),
    "a call that frees": (
        "main", finding("double_free", f"{CALLED}formal"), confirmed("double_free"), {CONTRACTS},
    ),
    "a leak in a call": ("main", finding(LEAK, f"{CALLED}words"), confirmed(LEAK, through=f"{CALLED}words"), set()),
    "no run of a call": ("main", finding(ASSERTION, f"{CALLED}words", "possible"), None, set()),
    "a body": ("words", finding(MEMORY), confirmed(MEMORY), {CONTRACTS}),
    "a body loses a block": ("words", finding(LEAK), confirmed(LEAK, detail="lost"), {CONTRACTS}),
    "a body leaves a block": ("words", finding(LEAK), confirmed(LEAK, detail="exit"), {CONTRACTS}),
    "an assertion in a body": ("words", finding(ASSERTION), confirmed(ASSERTION), set()),
    "what a body ensures": ("formal", finding(ASSERTION, f"{BODY}formal"), confirmed(ASSERTION), {CONTRACTS}),
    "no run of a body": ("formal", finding(ASSERTION, f"{BODY}formal", "possible"), None, set()),
}  # fmt: skip


@pytest.mark.parametrize("name", VIOLATED)
def test_what_a_finding_shows(program: CProgram, name: str) -> None:
    """Of runs of the program only those without contracts show that a property is FALSE."""
    where, one, run, expected = VIOLATED[name]
    broken = report(one, traces=[run] if run else [], memsafety=UNKNOWN, memcleanup=UNKNOWN, unreach=UNKNOWN)
    broken.properties["assert"] = UNKNOWN
    together = _together(program, parts(program, **{where: broken}), ALL)
    assert {n for n, v in together.properties.items() if v is FALSE} == expected
    assert {v for n, v in together.properties.items() if n not in expected} == {UNKNOWN}
    assert together.traces == ([run] if expected else [])
    assert [f.confirmed for f in together.findings] == [bool(expected)]
    assert together.findings[0].status == ("confirmed" if expected else "possible")


WORDED = {
    "a run of the program": (MEMORY, "main", "the message", (1,)),
    "a call by contract comes before": (MEMORY, "main", "the message", ()),
    "what a call requires": (
        "precondition", "main", "'requires list(a, next)' of words does not hold: the message", (),
    ),
    "a call that frees": (
        "precondition", "main",
        "'requires A(v) !c[next](v)' of formal does not hold: a cell comes twice, or was freed", (1,),
    ),
    "a leak in a call": (LEAK, "main", "the message", ()),
    "no run of a call": (
        "precondition", "main", "'requires list(a, next)' of words does not hold: the message", (1,),
    ),
    "a body": (MEMORY, "main", "the message", ()),
    "a body leaves a block": (
        "postcondition", "main", "words leaves cells that 'ensures list(a, next)' does not describe", (),
    ),
    "what a body ensures": (
        "postcondition", "formal", "'ensures A(v) !c[next](v)' of formal does not hold: the message", (),
    ),
    "no run of a body": ("postcondition", "formal", "'ensures A(v) !c[next](v)' of formal may not hold", ()),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDED)
def test_how_a_finding_is_worded(program: CProgram, name: str) -> None:
    where, one, run, _ = VIOLATED[name]
    made = parts(program, **{where: report(one, traces=[run] if run else [])})
    ((worded, shown),) = made[NAMES.index(where)].findings()
    assert shown is run
    assert (worded.kind, worded.function, worded.message, worded.inputs) == WORDED[name]
    moved = name == "a body leaves a block"
    place = made[NAMES.index(where)].contracts["words"].place
    assert (worded.line, worded.column) == ((place.line, place.column) if moved else (3, 4))


def test_confirmed_findings_come_first(program: CProgram) -> None:
    run = confirmed(MEMORY)
    shown, other = finding(MEMORY), finding(ASSERTION, status="possible")
    first = report(shown, other, traces=[run])
    second = report(finding("double_free", status="possible"))
    together = _together(program, parts(program, main=second, words=first), ALL)
    assert [f.kind for f in together.findings] == [MEMORY, "double_free", ASSERTION]
    assert [f.confirmed for f in together.findings] == [True, False, False]
    assert together.traces == [run]


def test_reasons(program: CProgram) -> None:
    """First contracts that say too little, then parts, then what the verdicts show."""
    made = parts(program, main=report(memsafety=UNKNOWN, reason="later in words$contract.3"))
    assert _together(program, made, ALL).reason == "main: later in words"
    made[2].reason = "it returns a struct"
    assert _together(program, made, ALL).reason == "the contract of formal: it returns a struct"
    run = confirmed(MEMORY)
    made = parts(program, words=report(finding(MEMORY), traces=[run], memsafety=FALSE))
    assert _together(program, made, ALL).reason == "a contract is not kept"
    made = parts(program, main=report(finding(MEMORY), memsafety=UNKNOWN))
    assert "contracts may allow more" in _together(program, made, ALL).reason


def test_coverage_and_results_of_the_parts(program: CProgram) -> None:
    made = parts(program)
    assert made[0].report and made[1].report
    made[0].report.coverage = Coverage(3, 2, 0.0, None, frozenset())
    made[1].report.coverage = Coverage(4, 1, 0.0, None, frozenset())
    exploration = SimpleNamespace()
    made[0].report.exploration = exploration  # type: ignore[assignment]
    made[0].report.shape = exploration  # type: ignore[assignment]
    made[0].report.prepared = exploration  # type: ignore[assignment]
    together = _together(program, made, ALL)
    assert together.coverage is not None and (together.coverage.states, together.coverage.runs) == (7, 3)
    assert together.exploration is together.shape is together.prepared is exploration
    assert _together(program, parts(program, main=None), ALL).exploration is None


def looked(monkeypatch: pytest.MonkeyPatch, program: CProgram, plain: CheckReport, before: CheckReport) -> CheckReport:
    monkeypatch.setattr(module, "check_program", lambda *_: plain)
    _look(program, check_options(), before)
    return before


def test_a_look_at_the_program_without_contracts(monkeypatch: pytest.MonkeyPatch, program: CProgram) -> None:
    """It decides what is open only; possible findings of what it proves go away."""
    plain = report(memsafety=FALSE, unreach=UNKNOWN, memcleanup=FALSE)
    plain.proved_by = {"assert": "exploration", "memcleanup": "never"}
    run = confirmed(MEMORY)
    plain.findings, plain.traces = [finding(MEMORY), finding("double_free", status="possible")], [run]
    before = report(
        finding("invalid_free"), finding(ASSERTION, status="possible"), finding("unreach_call", status="possible"),
        traces=[confirmed("invalid_free")], reason="something", memsafety=UNKNOWN, memcleanup=TRUE, unreach=UNKNOWN,
    )  # fmt: skip
    before.properties["assert"] = UNKNOWN
    before.proved_by = {"memcleanup": "contracts"}
    after = looked(monkeypatch, program, plain, before)
    assert after.properties == {"memsafety": FALSE, "memcleanup": TRUE, "unreach": UNKNOWN, "assert": TRUE}
    assert after.proved_by == {"memcleanup": "contracts", "assert": "exploration"}
    assert [f.kind for f in after.findings] == ["invalid_free", MEMORY, "unreach_call"]
    assert after.traces[1] is run and len(after.traces) == 2
    assert after.reason == "something"


def test_a_look_keeps_what_a_run_shows(monkeypatch: pytest.MonkeyPatch, program: CProgram) -> None:
    """A run of a body shows that its contract is not kept, though the program is safe."""
    before = report(finding(MEMORY), finding("double_free", status="possible"), traces=[confirmed(MEMORY)])
    before.properties |= {"memsafety": UNKNOWN, CONTRACTS: FALSE}
    after = looked(monkeypatch, program, report(), before)
    assert [f.kind for f in after.findings] == [MEMORY]
    assert after.properties["memsafety"] is TRUE and after.properties[CONTRACTS] is FALSE


def test_a_look_that_finds_what_is_known(monkeypatch: pytest.MonkeyPatch, program: CProgram) -> None:
    plain = report(finding(MEMORY), replace(finding(MEMORY), line=9), traces=[confirmed(MEMORY)] * 2, memsafety=FALSE)
    before = report(finding(MEMORY), traces=[confirmed(MEMORY)], reason="something", memsafety=UNKNOWN)
    after = looked(monkeypatch, program, plain, before)
    assert [f.line for f in after.findings] == [3, 9]
    assert len(after.traces) == 2
    assert after.reason == ""
    before = report(finding(MEMORY, status="possible"), reason="something", memsafety=UNKNOWN)
    after = looked(monkeypatch, program, plain, before)
    assert [(f.line, f.confirmed) for f in after.findings] == [(3, True), (9, True), (3, False)]


class Checker:
    """In place of the check of a part: remembers what it is asked, and answers as it is told, after some time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **answers: CheckReport) -> None:
        self.answers = answers
        self.asked: list[tuple[str, CheckOptions, bool]] = []
        self.attacked: list[tuple[str, str]] = []
        self.executed: dict[str, CProgram | None] = {}
        self.now, self.each = 1000.0, 0.0
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(module, "check_program", self.check)
        monkeypatch.setattr(module, "attack", self.attack)

    def check(
        self, program: CProgram, options: CheckOptions, start: float, concrete: CProgram | None = None
    ) -> CheckReport:
        name = program.entry if options.domain != "explicit" else "look"
        self.asked.append((name, options, concrete is not None))
        self.executed[name] = concrete
        self.now += self.each
        return self.answers.get(name) or report()

    def attack(self, one: CheckReport, options: CheckOptions, executed: CProgram, analysed: CProgram) -> None:
        self.attacked.append((executed.entry, analysed.entry))


def checked(folder: Path, text: str = TEXT, **options: object) -> CheckReport:
    program_of(folder, text)
    return check_contracts([str(folder / "program.c")], check_options(**options))  # type: ignore[arg-type]


def test_each_part_is_checked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Bodies come first; each gets its share of the time that is left; runs test the proof of the program."""
    checker = Checker(monkeypatch)
    result = checked(tmp_path, timeout=60.0, properties=("memsafety",))
    assert [name for name, _, _ in checker.asked] == ["words$body", "formal$body", "main"]
    for executed in checker.executed.values():
        assert executed is not None, "formulas are executed"
        calls = {
            e.label.function for f in executed.functions.values() for e in f.cfa.edges if isinstance(e.label, Call)
        }
        assert "formal" in calls, "after a check the function itself is called"
    body = checker.executed["formal$body"]
    assert body is not None and any(v.name.startswith("before") for v in body.main.locals), "it remembers the heap"
    shares = [options.timeout for _, options, _ in checker.asked]
    assert shares == [20, 30, 60]
    assert [options.properties for _, options, _ in checker.asked] == [
        ALL, tuple(n for n in ALL if n != "memcleanup"), ALL,
    ]  # fmt: skip
    tested = [options.self_check for _, options, _ in checker.asked]
    assert tested[0] == tested[1] != tested[2] == 0.0, "the functions run in the place of their contracts"
    assert checker.attacked == [("main", "main")]
    assert result.properties == {"memsafety": TRUE, CONTRACTS: TRUE}


def test_without_formulas_nothing_else_is_executed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checker = Checker(monkeypatch)
    text = "/*@ requires n > 0; */ void f(int n) { }\nint main(void) { f(1); return 0; }\n"
    checked(tmp_path, text)
    assert [(name, concrete) for name, _, concrete in checker.asked] == [("f$body", False), ("main", False)]


def test_runs_test_no_proof_that_rests_on_a_broken_contract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checker = Checker(monkeypatch, **{"words$body": report(memsafety=UNKNOWN)})
    result = checked(tmp_path, timeout=60.0)
    assert checker.attacked == []
    assert [name for name, _, _ in checker.asked] == ["words$body", "formal$body", "main", "look"]
    _, options, _ = checker.asked[-1]
    assert (options.domain, options.timeout) == ("explicit", 2.0)
    assert result.properties == dict.fromkeys(ALL, TRUE) | {CONTRACTS: UNKNOWN}, "the look has decided the rest"


def test_a_contract_that_says_too_little_is_not_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checker = Checker(monkeypatch, look=report(**dict.fromkeys(ALL, UNKNOWN)))
    text = TEXT.replace("void words(struct node *a) { }", "void words(struct node *a) { exit(1); }")
    result = checked(tmp_path, text)
    assert [name for name, _, _ in checker.asked] == ["formal$body", "main", "look"]
    assert set(result.properties.values()) == {UNKNOWN}
    assert result.reason.startswith("the contract of words: ") and "it may end the program" in result.reason


def test_the_body_of_the_entry_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program is the body with its contract; there is no run of it without."""
    checker = Checker(monkeypatch, **{"words$body": report(memsafety=UNKNOWN)})
    checked(tmp_path, entry="words")
    assert [name for name, _, _ in checker.asked] == ["words$body", "formal$body"]
    checker.answers = {}
    assert set(checked(tmp_path, entry="words").properties.values()) == {TRUE}
    assert checker.attacked == []


@pytest.mark.parametrize(
    ("each", "asked"),
    [(1.0, 4), (1.25, 4), (1.5, 3), (2.0, 3), (2.25, 2), (4.5, 1)],
)
def test_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, each: float, asked: int) -> None:
    """There are 4.5 seconds after reading: parts and the look come as long as there is time."""
    checker = Checker(monkeypatch, **{"words$body": report(memsafety=UNKNOWN)})
    checker.each = each
    limits: list[float] = []
    real, watchdog = module._read, module.Watchdog

    def slow(paths: Sequence[str], options: CheckOptions) -> object:
        checker.now += 0.5
        return real(paths, options)

    def watched(seconds: float, memory: None, *, stated: str) -> object:
        limits.append(seconds)
        return watchdog(None, memory, stated=stated)

    monkeypatch.setattr(module, "_read", slow)
    monkeypatch.setattr(module, "Watchdog", watched)
    result = checked(tmp_path, timeout=5.0)
    assert limits == [4.5]
    names = [name for name, _, _ in checker.asked]
    assert names == ["words$body", "formal$body", "main", "look"][:asked]
    assert checker.asked[0][1].timeout == 1.5
    if asked > 1:
        assert checker.asked[1][1].timeout == (4.5 - each) / 2
    if asked == 4:
        assert checker.asked[3][1].timeout == min(2.0, 4.5 - 3 * each)
    assert result.seconds == 0.5 + each * asked


def test_time_that_is_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checker = Checker(monkeypatch)
    result = checked(tmp_path, timeout=1e-9)
    assert checker.asked == []
    assert set(result.properties.values()) == {UNKNOWN}
    assert result.reason and result.seconds == 0.0


def test_refinement_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="do not go together"):
        check_contracts(["none.c"], replace(check_options(), refine=object()))  # type: ignore[arg-type]
