# Everything a developer types. `make demo` and `make test` need nothing done before.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# An installation in place knows the modules by their names: it is made again where some were moved.
MODULES := $(VENV)/.modules-$(shell find src/kleene -name '*.py' | sort | cksum | cut -d' ' -f1)

.PHONY: venv demo test check format docs bench fuzz exam clean

venv: $(STAMP)

$(MODULES):
	@mkdir -p $(VENV)
	@rm -f $(VENV)/.modules-*
	@touch $@

$(STAMP): pyproject.toml CMakeLists.txt $(wildcard src/native/*) $(MODULES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q src/kleene # also where the environment forbids Python to keep compiled modules
	@$(BIN)/kleene --version
	@touch $@

demo: venv
	@mkdir -p out
	$(BIN)/kleene run examples/tvp/sll/reverse --html out/reverse.html --svg out/reverse --explain n6
	@echo "The report is in out/reverse.html, the structures are drawn in out/reverse/."
	$(BIN)/kleene check examples/c/sll/reverse.c --invariants --html out/check-reverse.html
	@# exit code 1 says that the bug was found, which is what we want to see here
	$(BIN)/kleene check examples/c/dll/remove_dangling.c --trace --html out/check-remove-dangling.html || test $$? -eq 1
	@echo "The proof is in out/check-reverse.html, the bug step by step in out/check-remove-dangling.html."

test: venv
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The loop of a developer: everything static, and the unit tests that take no solver and no whole analysis.
QUICK := $(addprefix tests/unit/,logic structures source tvp engine cfa c report) tests/test_layering.py tests/test_sizes.py tests/test_slices.py

check: venv
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/clang-format --dry-run --Werror src/native/*
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 $(QUICK)

format: venv
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/clang-format -i src/native/*

# The site, in out/site; nothing in it is loaded from elsewhere.
docs: venv
	$(BIN)/python docs/site/make_site.py out/site

bench: venv
	$(BIN)/python benchmarks/machines.py
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/thesis.py
	$(BIN)/python benchmarks/check.py
	$(BIN)/python benchmarks/coverage_cost.py
	$(BIN)/python benchmarks/symbolic.py
	$(BIN)/python benchmarks/fesa.py
	$(BIN)/python benchmarks/refine.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/ways.py
	$(BIN)/python benchmarks/constants.py

# Mutants of the corpus and random C programs whose violations compiled runs show: no attempt may call them TRUE.
fuzz: venv
	$(BIN)/python -m tests.fuzz_c.run --seconds 300

# The exhaustive tests that take too long for `make test`: alpha-hat on all stores of five nodes, the FESA
# domain on all memories of five cells, many csmith programs by the interpreter and by the compiler, all of the corpus
# with its confirmed findings replayed; the native machine
# with sanitizers; and the tests themselves, on mutants of the modules that they guard.
exam: venv
	KLEENE_EXAM=1 $(BIN)/python -m pytest -n 2 --dist worksteal
	$(BIN)/python -m tests.fesa.sweep
	$(BIN)/python -m pytest -n 2 tests/corpus --slow
	$(BIN)/python -m tests.mutation.run --seconds 1800
	$(BIN)/python tests/sanitized.py

clean:
	rm -rf $(VENV) out
