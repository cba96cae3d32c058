"""The page of a check in a browser: the film of a bug, shapes by line, search by formula, comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shapes_shown import check_page
from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.report.check.page import check_html
from kleene.report.run.page import html_report
from kleene.structures.evaluate import evaluate
from kleene.structures.tvs_reader import read_tvs
from kleene.tvp.program import load_program, parse_formula

EXAMPLES = Path(__file__).parents[2] / "examples"
OPERATIONS = """#include <stdlib.h>
struct node { struct node *next; int value; };
struct list { struct node *head; int size; };
static void push(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    n->next = l->head; n->value = v; l->head = n; l->size++;
}
static void pop(struct list *l) {
    struct node *n = l->head;
    l->head = n->next;
    free(n);
}
int main(void) {
    struct list l = {0};
    push(&l, 3);
    pop(&l);
    pop(&l);
    return 0;
}
"""
waits = pytest.importorskip("playwright.sync_api").expect
HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def film_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("film")
    source = folder / "operations.c"
    source.write_text(OPERATIONS)
    report = check([str(source)], check_options(malloc_may_fail=False))
    page = folder / "page.html"
    page.write_text(check_html(report))
    return page


@pytest.fixture(scope="module")
def proof_page(tmp_path_factory):
    report = check([str(EXAMPLES / "c" / "sll" / "reverse.c")], check_options())
    page = tmp_path_factory.mktemp("proof") / "page.html"
    page.write_text(check_page(report))
    return page


def boxes(page) -> dict[str, tuple[float, float]]:
    """The places of the blocks that are drawn, by title."""
    script = """all => all.map(b => {
        const at = name => b.querySelector('rect').getAttribute(name);
        return [b.querySelector('.title').textContent, at('x'), at('y')];
    })"""
    return {title: (float(x), float(y)) for title, x, y in page.locator(".stage .heap-box").evaluate_all(script)}


def test_a_film_steps_with_keys_and_blocks_keep_their_places(film_page, open_page) -> None:
    page = open_page(film_page)
    film = page.locator(".film")
    assert "at-end" in film.get_attribute("class")
    assert "null pointer" in page.locator(".film-now").inner_text()
    film.focus()
    page.keyboard.press("Home")
    assert page.locator(".count").inner_text().startswith("step 1 of ")
    places: dict[str, tuple[float, float]] = {}
    seen_changes = 0
    for _ in range(int(page.locator(".count").inner_text().split()[-1])):
        for title, place in boxes(page).items():
            if title[:2] in ("1:", "2:"):
                assert places.setdefault(title[:2], place) == place
        seen_changes += page.locator(".stage .changed").count()
        page.keyboard.press("ArrowRight")
    assert places
    assert seen_changes > 3
    assert page.locator(".code .now .n").inner_text() == "10"


def test_the_operations_of_the_client_are_chapters(film_page, open_page) -> None:
    page = open_page(film_page)
    titles = page.locator(".film-controls option").all_inner_texts()
    assert [t.split(". ", 1)[1] for t in titles] == ["main, line 14", "push(&l, 3)", "pop(&l)", "pop(&l)"]
    page.locator(".film").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator(".stack .frame b").all_inner_texts()[0] == "push"
    assert "v = 3" in page.locator(".stack .frame").first.inner_text()


def test_slider_play_and_a_click_on_a_line(film_page, open_page) -> None:
    page = open_page(film_page)
    page.locator(".film input[type=range]").fill("2")
    assert page.locator(".count").inner_text().startswith("step 3 of ")
    page.get_by_role("button", name="Play or pause (space)").click()
    waits(page.locator(".count")).to_contain_text("step 4 of ")
    page.get_by_role("button", name="Play or pause (space)").click()
    page.locator(".code .row", has_text="free(n);").click()
    assert "free(n)" in page.locator(".film-now").inner_text()


def test_a_printed_page_has_the_heaps_in_its_list_of_steps(film_page, open_page) -> None:
    page = open_page(film_page)
    assert page.locator("td.heap svg").count() == 0
    page.pdf()
    assert page.locator("td.heap svg").count() > 3


def test_a_line_shows_its_shapes(proof_page, open_page) -> None:
    page = open_page(proof_page)
    page.locator("#explorer .row.can", has_text="return reversed;").click()
    assert page.locator("#explorer h3").inner_text() == "Before line 21"
    words = page.locator("#explorer .shown li").all_inner_texts()
    assert any("acyclic list of 2 or more nodes" in text for text in words)
    assert page.locator("#explorer .shown svg").count() == 3
    page.locator("#explorer .code").focus()
    page.keyboard.press("ArrowUp")
    assert page.locator("#explorer h3").inner_text() == "Before line 20"


def test_search_by_a_formula_and_comparison(proof_page, open_page) -> None:
    page = open_page(proof_page)
    page.locator("#explorer .row.can", has_text="return reversed;").click()
    for formula, count in (("E(v) reversed(v) & sm(v)", 0), ("E(v) sm(v)", 1), ("!(E(v) reversed(v))", 1)):
        page.fill("#find-formula", formula)
        page.locator("#find select").select_option("perhaps")
        page.keyboard.press("Enter")
        waits(page.locator("#explorer .shown .picture")).to_have_count(count)
    page.fill("#find-formula", "E(v) nothing(v)")
    waits(page.locator("#find .answer")).to_contain_text("column 6: there is no predicate 'nothing'")
    page.fill("#find-formula", "")
    waits(page.locator("#explorer .shown .picture")).to_have_count(3)
    page.locator("#explorer .choose").nth(1).click()
    page.locator("#explorer .choose").nth(2).click()
    assert "next(" in page.locator(".compare").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".compare").count() == 0


FORMULAS = (
    "E(v) x(v)",
    "A(v) (r[n,x](v) | r[n,y](v))",
    "E(v, w) n(v, w) & !y(v)",
    "E(v) x(v) & (E(w) n*(v, w) & w != v)",
    "E(v, w) TC(v, w)(a, b) n(a, b)",
    "(E(v) x(v)) <-> (E(v) y(v))",
    "(E(v) x(v)) -> (E(v) y(v) & is[n](v))",
    "A(v) (x(v) ? !y(v) : 1/2)",
    "E(v) n+(v, v)",
)


def test_formulas_have_the_values_that_the_analyser_gives_them(tmp_path, open_page) -> None:
    """The page's own evaluator and the one of the analyser agree on every structure of a run."""
    path = EXAMPLES / "tvp" / "sll" / "reverse.tvp"
    program = load_program(path)
    report = run(prepare(program, RunOptions()), read_tvs(path.with_suffix(".tvs"), program.vocabulary).structures)
    file = tmp_path / "page.html"
    file.write_text(html_report(report))
    page = open_page(file)
    structures = list(dict.fromkeys(s for x in report.locations for s in x.structures))
    script = """([text]) => {
        const { parse, evaluate, page } = window.kleene;
        const formula = parse(text, page.arities);
        return page.structures.map(s => evaluate(formula, s));
    }"""
    for text in FORMULAS:
        formula = parse_formula(text, program.vocabulary)
        expected = sorted(str(evaluate(s, formula)) for s in structures)
        values = page.evaluate(script, [text])
        assert sorted({0: "0", 1: "1/2", 2: "1"}[v] for v in values) == expected, text


def test_a_hostile_program_runs_nothing(tmp_path, open_page) -> None:
    source = tmp_path / "a<img src=x onerror=alert(1)>.c"
    source.write_text(f"// {HOSTILE}\n" + OPERATIONS.replace("push", "p_ush"))
    report = check([str(source)], check_options(malloc_may_fail=False))
    file = tmp_path / "page.html"
    file.write_text(check_html(report))
    page = open_page(file)
    assert "broken" not in page.title()
    assert page.locator("img").count() == 0
    assert HOSTILE in page.locator(".code").first.inner_text()


def test_an_injected_script_is_refused(film_page, tmp_path, browser) -> None:
    """Even if a name became markup, the policy of the page would not run it."""
    text = film_page.read_text().replace("<main", "<script>document.title = 'broken'</script><main", 1)
    file = tmp_path / "page.html"
    file.write_text(text)
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"file://{file}")
    assert page.title() != "broken"
    assert page.locator(".film").count() == 1
    context.close()


@pytest.mark.parametrize("width", [1300, 420])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(film_page, open_page, width, scheme) -> None:
    page = open_page(film_page, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(20, 24, 31)") == (scheme == "dark")
