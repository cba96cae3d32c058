"""The models that a round may need again."""

from __future__ import annotations

from tests.refine.helpers import BUILD, task_of, written
from tests.refine.test_covers_runs import SINGLY, generator_of

from kleene.refine.model import Abstraction, Models
from kleene.refine.tracking.definition import TrackingDefinition
from kleene.refine.tree.reachability_tree import Tree

WALK = BUILD + "int main(void) { struct node *p = make(); while (p) p = p->next; return 0; }\n"


def test_models_are_kept_while_the_tracking_definition_is_the_same(tmp_path):
    task = task_of(written(tmp_path, WALK))
    names = frozenset(v.name for v in task.memory.pointers)
    plain, shared = generator_of("sll", (), SINGLY), generator_of("sll", ("sharing",), SINGLY)
    definition = TrackingDefinition(names, names, SINGLY.fields)
    models = Models(task)
    first = models.of(Abstraction(definition, (plain,)))
    assert models.of(Abstraction(definition, (shared,))) is not first
    assert models.of(Abstraction(definition, (plain,))) is first
    models.of(Abstraction(TrackingDefinition(fields=SINGLY.fields), (plain,)))
    assert models.of(Abstraction(definition, (plain,))) is not first


def test_a_model_that_is_used_again_remembers_no_steps(tmp_path):
    """What a simulation found contradictory must not count against the tree that is built next."""
    task = task_of(written(tmp_path, WALK))
    abstraction = Abstraction(TrackingDefinition(fields=SINGLY.fields), (generator_of("sll", (), SINGLY),))
    models = Models(task)
    model = models.of(abstraction)
    edge = next(iter(model.cfa.edges))
    model.domain.contradictions[edge.label] = (edge, model.initial[0])
    assert model.contradictions
    again = models.of(abstraction)
    assert again is model
    assert not again.contradictions
    fresh, used = Tree(models.of(abstraction)), Tree(models.of(abstraction))
    for tree in (fresh, used):
        tree.build(lambda t: None)
    assert fresh.generated == used.generated
