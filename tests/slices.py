"""Slices of exhaustive tests: `make test` runs every k-th case of these tests, `make exam` runs all of them.

A test without parameters is one case and always runs, unless it is named below as `ONLY_IN_EXAM`. At least one case of
each other test runs. The slice depends on names alone, so that every run and every worker takes the same one.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable

EXAM = bool(os.environ.get("KLEENE_EXAM"))
ONLY_IN_EXAM = 0
EVERY: dict[str, int] = {
    "tests/unit/analysis/test_growing_programs.py::test_a_family_is_proved_by_parts": 9,
    "tests/unit/analysis/test_growing_programs.py::test_no_mutant_is_proved_by_parts": 24,
    "tests/unit/analysis/test_growing_programs.py::test_a_family_is_proved_by_slices": 6,
    "tests/unit/analysis/test_growing_programs.py::test_no_mutant_is_proved_by_slices": 16,
    "tests/unit/analysis/test_program_slices.py": 4,
    "tests/unsafe_c/test_blocks.py::test_it_is_not_proved[trie": ONLY_IN_EXAM,
    "tests/unsafe_c/test_blocks.py::test_it_is_not_proved[owned_names-1": ONLY_IN_EXAM,
    "tests/unsafe_c/test_blocks.py::test_it_is_not_proved": 72,
    "tests/unit/passes/test_array_types.py::test_a_vector_from_allocators_of_the_program[grows too late]": ONLY_IN_EXAM,
    "tests/unit/analysis/test_apart.py::test_parts_prove_no_unsafe_program[lifetimes/array_after": ONLY_IN_EXAM,
    "tests/unit/analysis/test_apart.py::test_parts_prove_no_unsafe_program[conditions/used_up": ONLY_IN_EXAM,
    "tests/unit/analysis/test_apart.py::test_parts_prove_no_unsafe_program[rewritings/not_only_slots": ONLY_IN_EXAM,
    "tests/unsafe_c/test_stored_numbers.py": 4,
    "tests/unsafe_c/test_texts.py::test_the_shape_analysis_does_not_prove_it[builder": ONLY_IN_EXAM,
    "tests/cli/test_messages.py::test_a_possible_finding_has_the_names_of_the_source": ONLY_IN_EXAM,
    "tests/unsafe_c/test_changed_tables.py::test_it_is_not_proved": ONLY_IN_EXAM,
    "tests/unsafe_c/test_changed_tables.py::test_it_fails_in_a_compiled_run": 2,
    "tests/unsafe_c/test_blocks.py::test_it_fails_in_a_compiled_run": 8,
    "tests/unit/passes/test_relations.py": 3,
    "tests/unit/c/test_constructs.py": 5,
    "tests/unit/c/test_library_calls.py::test_effects_of_functions_from_outside": 4,
    "tests/unit/c/test_library_calls.py::test_right_uses_are_proved": 3,
    "tests/unit/semantics/test_counts.py::test_claims_are_true_after_every_operation": 2,
    **dict.fromkeys(
        (
            f"tests/corpus/test_corpus.py::test_program[arrays/{name}]"
            for name in (
                "argument_list",
                "counted_list",
                "list_heads",
                "matrix",
                "names",
                "names_terminator",
                "settings",
                "open_addressing_bounds",
                "pointer_stack",
                "bucket_table_leak",
                "trie",
                "trie_bounds",
                "vector_growth",
            )
        ),
        ONLY_IN_EXAM,
    ),
    **dict.fromkeys(
        (
            f"tests/corpus/test_corpus.py::test_program[counts/{name}]"
            for name in (
                "deque",
                "embedded_header",
                "global_queue",
                "insert_at",
                "iterator",
                "move_all",
                "node_count",
                "queue_wrong",
                "release_callback",
                "remove_at",
                "remove_by_value",
                "size_function",
                "take_at",
                "unlink",
            )
        ),
        ONLY_IN_EXAM,
    ),
    "tests/corpus/test_corpus.py::test_program[arrays/heap_vector]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[arrays/list_with_length]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[arrays/open_addressing]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[arrays/reserved_vector]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[arrays/topological_order]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[fesa/list_of_rings]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[text/messages]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[text/text_in_struct]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[text/names_from_lines]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[skip/three_levels]": ONLY_IN_EXAM,
    "tests/corpus/test_corpus.py::test_program[embedded/two_lists]": ONLY_IN_EXAM,
    "tests/mutation/test_mutation.py::test_rows_fit_mutants": ONLY_IN_EXAM,
    "tests/clients/test_clients.py::test_a_run_shows_the_bug[settings.c": ONLY_IN_EXAM,
    "tests/clients/test_clients.py::test_a_run_shows_the_bug": 36,
    "tests/fesa/test_enumeration.py::test_one_by_one[links-2-0]": ONLY_IN_EXAM,
    "tests/fesa/test_programs.py::test_results_by_cases_are_post_fixpoints": ONLY_IN_EXAM,
    "tests/library/test_library.py::test_an_iterator_lives_between_two_operations": ONLY_IN_EXAM,
    "tests/oracle_symbolic/test_best.py::test_best_transformer_of_a_block": ONLY_IN_EXAM,
    "tests/test_determinism.py": 3,
    "tests/test_docs.py::test_commands_do_what_is_shown[docs/concepts/fesa.md-2]": ONLY_IN_EXAM,
    "tests/cli/test_install.py": ONLY_IN_EXAM,
    "tests/refine/test_loop.py::test_the_paper_s_first_row": ONLY_IN_EXAM,
    "tests/refine/test_table_one.py::test_refinement_itself_proves_it": ONLY_IN_EXAM,
    "tests/refine/test_table_one.py::test_a_rotation_at_an_inner_node": ONLY_IN_EXAM,
    "tests/cli/test_contract_formulas.py::test_a_caller_knows_the_contract_only": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_runs.py::test_false_alarms_disappear[unlink": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_runs.py::test_false_alarms_disappear[before": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_runs.py::test_false_alarms_disappear[rotate": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_runs.py::test_false_alarms_disappear[append": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_runs.py::test_false_alarms_disappear[least": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_runs.py::test_false_alarms_disappear[reverse": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_field_lemmas.py::test_what_is_learnt_of_names[0.001]": ONLY_IN_EXAM,
    "tests/unit/analysis/test_procedures.py::test_what_is_wrong_is_reported[sort: a2": ONLY_IN_EXAM,
    "tests/unit/analysis/test_procedures.py::test_what_is_wrong_is_reported[sort: a3": ONLY_IN_EXAM,
    "tests/fesa/test_programs.py::test_errors_are_found[recursion/tree_leak": ONLY_IN_EXAM,
    "tests/fesa/test_programs.py::test_no_warning_with_instrumentation[sll/merge]": ONLY_IN_EXAM,
    "tests/fuzz_c/test_every_attempt.py::test_no_attempt_proves_what_a_run_violates": 3,
    "tests/fuzz_c/test_agreement.py::test_exact_exploration_contradicts_no_proof": 2,
    "tests/cli/test_contracts.py::test_bodies_that_return_no_trees": 3,
    "tests/cli/test_contracts.py::test_what_is_proved": 2,
    "tests/cli/test_exit_codes.py::test_a_closed_pipe_keeps_the_verdict_of_every_command": 2,
    "tests/unit/semantics/test_contracts.py": 5,
    "tests/unit/semantics/test_lanes.py": 2,
    "tests/unit/smt/test_closure_axioms.py": 3,
    "tests/cli/test_check_reports.py::test_what_recursive_functions_do_is_checked_again": ONLY_IN_EXAM,
    "tests/editors/test_language_server.py::test_findings_of_c": ONLY_IN_EXAM,
    "tests/browser/test_check_page.py::test_nothing_is_wider": ONLY_IN_EXAM,
    "tests/browser/test_check_page.py::test_slider_play": ONLY_IN_EXAM,
    "tests/browser/test_check_page.py::test_a_printed_page": ONLY_IN_EXAM,
    "tests/browser/test_check_page.py::test_an_injected_script": ONLY_IN_EXAM,
    "tests/editors/test_ci.py::test_hooks_pass": ONLY_IN_EXAM,
    "tests/editors/test_ci.py::test_only_the_hook": ONLY_IN_EXAM,
    "tests/tutorials/test_notebooks.py::test_cells_run": 3,
    "tests/test_docs.py::test_commands_do_what_is_shown": 2,
    "tests/oracle/test_machines_agree.py::test_coerce_and_what_it_breaches": 8,
    "tests/cli/test_contract_formulas.py::test_bodies_that_call_by_contract": 6,
    "tests/fesa/test_vectors.py": 2,
    "tests/unit/domains/explicit/test_explicit_against_gcc.py::test_interpreter_and_compiled_program_agree": 2,
    "tests/oracle_symbolic/test_five_nodes.py": ONLY_IN_EXAM,
    "tests/oracle_symbolic/test_vocabularies.py::test_assume_on_stores_of_five_nodes": ONLY_IN_EXAM,
    "tests/oracle_symbolic/test_vocabularies.py::test_best_transformer_on_stores_of_five_nodes": ONLY_IN_EXAM,
    "tests/fesa/test_soundness.py::test_five_blocks": ONLY_IN_EXAM,
    "tests/fesa/test_enumeration.py::test_after_a_leak": ONLY_IN_EXAM,
    "tests/fesa/test_enumeration.py::test_numbers_of_two_cells[1]": ONLY_IN_EXAM,
    "tests/fesa/test_enumeration.py::test_joined[links-2-1]": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_transformers.py::test_merge_sort_on_specifications": ONLY_IN_EXAM,
    "tests/unit/symbolic/test_best_runs.py": 3,
    "tests/unit/symbolic/test_best_transformers.py": 2,
    "tests/corpus/test_corpus.py::test_random_runs_of_safe_programs": 4,
    "tests/unsafe_c/test_unsafe.py": 8,
    "tests/clients/test_clients.py": 12,
    "tests/unit/analysis/test_apart.py::test_parts_prove_no_unsafe_program": 8,
    "tests/unit/analysis/test_apart.py::test_whole_heaps_follow_if_parts_have_alarms": ONLY_IN_EXAM,
    "tests/unit/analysis/test_apart.py::test_no_alarm_is_lost": 3,
    "tests/unit/analysis/test_apart.py::test_parts_are_enough": 2,
    "tests/unit/semantics/test_ended_blocks.py": 6,
    "tests/cli/test_time_limits.py": 6,
    "tests/unit/transformers/differencing/test_sound.py": 5,
    "tests/unit/transformers/differencing/test_exact.py": 5,
    "tests/refine/test_covers_runs.py": 6,
    "tests/refine/test_cell_conditions.py::test_every_step_of_a_run": 4,
    "tests/refine/test_cell_conditions.py": 3,
    "tests/refine/test_ghosts_of_unsafe_programs.py": 3,
    "tests/refine/test_random_programs.py": 5,
    "tests/refine/test_certificates.py": 3,
    "tests/refine/test_library_code.py": 8,
    "tests/oracle/test_specified.py": 3,
    "tests/oracle/test_bodies.py": 3,
    "tests/oracle/test_callers.py": 3,
    "tests/oracle/test_calls_by_rules.py": 3,
    "tests/oracle/test_machines_agree.py": 2,
    "tests/oracle_symbolic/test_vocabularies.py": 3,
    "tests/oracle_symbolic/test_best.py": 3,
    "tests/fesa/test_enumeration.py": 8,
    "tests/fesa/test_numbers_of_lists.py": 3,
    "tests/fesa/test_numbers.py": 3,
    "tests/fesa/test_statements.py": 8,
    "tests/fesa/test_options.py": 3,
    "tests/fesa/test_small_programs.py": 2,
    "tests/unit/passes/test_slot_runs.py": 2,
    "tests/unit/semantics/test_contract_words.py": 2,
    "tests/fesa/test_programs.py": 3,
    "tests/fesa/test_soundness.py": 2,
    "tests/paths/test_paths_random.py": 4,
    "tests/paths/test_paths_search.py": 3,
    "tests/unit/passes/test_loads.py": 3,
    "tests/unit/passes/test_prepare.py": 3,
    "tests/unit/passes/test_zero_one_images.py": 4,
    "tests/unit/passes/test_representatives.py": 4,
    "tests/unit/passes/test_intervals.py": 2,
    "tests/unit/passes/test_slots.py": 3,
    "tests/unit/passes/test_slots_executed.py": 4,
    "tests/unit/passes/test_images_executed.py": 4,
    "tests/unit/semantics/test_byte_ranges.py": 3,
    "tests/unit/semantics/test_moved_blocks.py": 3,
    "tests/unit/semantics/test_trees.py": 2,
    "tests/unit/semantics/test_circular.py": 2,
    "tests/cli/test_contract_formulas.py": 2,
    "tests/cli/test_contract_clients.py": 3,
    "tests/examples/test_sorting_examples.py": 2,
    "tests/library/test_library.py::test_every_function_of_a_library_is_proved": 6,
    "tests/library/test_library.py::test_no_mutant_that_fails_in_a_compiled_run_is_proved": ONLY_IN_EXAM,
    "tests/library/test_library.py::test_the_heaps_of_compiled_runs_satisfy_the_invariant": ONLY_IN_EXAM,
    "tests/library/test_library.py::test_an_error_in_one_function_is_shown_with_its_operations": 18,
}
"""For the beginning of a test's name, the k of 'every k-th': what is costly and has many cases of one kind."""


def in_slice(names: Iterable[str]) -> set[str]:
    """The tests among these that `make test` runs."""
    if EXAM:
        return set(names)
    cases: dict[str, list[str]] = {}
    for name in names:
        if _step(name) != ONLY_IN_EXAM:
            cases.setdefault(name.partition("[")[0], []).append(name)
    chosen = set()
    for group in cases.values():
        chosen |= {name for name in group if _number(name) % _step(name) == 0} or {min(group, key=_number)}
    return chosen


def _step(name: str) -> int:
    return next((k for start, k in EVERY.items() if name.startswith(start)), 1)


def _number(name: str) -> int:
    return zlib.crc32(name.encode())
