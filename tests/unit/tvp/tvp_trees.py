"""Random syntax trees of TVP, for the round-trip tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from kleene.logic.kleene import Kleene
from kleene.tvp.syntax import (
    ActionSyntax,
    AtomSyntax,
    ChainSyntax,
    CloseCycle,
    ClosureSyntax,
    CompositeSyntax,
    ConditionalSyntax,
    ConstSyntax,
    DecompositionName,
    DependencySyntax,
    EdgeSyntax,
    EqualSyntax,
    Foreach,
    GlobalFocus,
    LocationSyntax,
    MessageSyntax,
    Name,
    NotSyntax,
    ParameterSyntax,
    PartSyntax,
    PredicateDeclaration,
    ProgramSyntax,
    PropertySyntax,
    QuantifiedSyntax,
    RuleDeclaration,
    SetComprehension,
    SetDeclaration,
    SetLiteral,
    SetName,
    SetOperation,
    StarSyntax,
    UpdateSyntax,
)

ids = st.sampled_from(["x", "y", "n", "r", "v", "w", "in", "Ex", "$a", "b.0", "_1", "z"])
id_lists = st.lists(ids, max_size=3).map(tuple)
values = st.sampled_from(list(Kleene))
names = st.recursive(
    st.builds(Name, ids),
    lambda inner: st.builds(Name, ids, st.lists(inner, max_size=2).map(tuple)),
    max_leaves=3,
)
strings = st.text(alphabet='ab /*"#%\n\\'.replace('"', ""), max_size=5)
sets = st.recursive(
    st.builds(SetName, ids) | st.builds(SetLiteral, st.lists(names, max_size=3).map(tuple)),
    lambda inner: (
        st.builds(SetOperation, st.sampled_from("+-&"), inner, inner)
        | st.builds(SetComprehension, st.lists(names, min_size=1, max_size=2).map(tuple), ids, inner)
    ),
    max_leaves=4,
)


def _compound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    operands = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(NotSyntax, inner),
        st.builds(ChainSyntax, st.sampled_from(["&", "|", "->", "<->"]), operands),
        st.builds(ConditionalSyntax, inner, inner, inner),
        st.builds(QuantifiedSyntax, st.sampled_from("EA"), id_lists, inner),
        st.builds(ClosureSyntax, ids, ids, ids, ids, inner),
        st.builds(CompositeSyntax, st.sampled_from("|&"), inner, ids, sets),
    )


formulas = st.recursive(
    st.one_of(
        st.builds(ConstSyntax, values),
        st.builds(AtomSyntax, names, id_lists),
        st.builds(EqualSyntax, ids, ids, st.booleans()),
        st.builds(StarSyntax, names, st.sampled_from("*+"), ids, ids),
    ),
    _compound,
    max_leaves=5,
)
texts = st.lists(strings | names, min_size=1, max_size=3).map(tuple)
messages = st.builds(MessageSyntax, formulas, texts, st.none() | formulas)


def _with_foreach(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        items,
        lambda inner: st.builds(Foreach, ids, sets, st.lists(inner, max_size=2).map(tuple)),
        max_leaves=3,
    )


focus_items = st.lists(_with_foreach(formulas), max_size=2).map(tuple)
properties = st.one_of(
    st.builds(PropertySyntax, ids),
    st.builds(PropertySyntax, ids, st.lists(names, min_size=1, max_size=2).map(tuple)),
    st.builds(DependencySyntax, st.lists(ids, min_size=1, max_size=2).map(tuple), ids),
)
declarations = _with_foreach(
    st.one_of(
        st.builds(SetDeclaration, ids, sets, st.booleans()),
        st.builds(
            PredicateDeclaration,
            names,
            id_lists,
            st.none() | formulas,
            st.lists(properties, max_size=2).map(tuple),
            st.none() | st.lists(values, max_size=3).map(tuple),
        ),
        st.builds(RuleDeclaration, formulas, formulas),
        st.builds(DecompositionName, formulas, st.just(()) | texts),
        st.builds(CloseCycle, names, formulas),
        st.builds(GlobalFocus, focus_items),
        messages,
    )
)
updates = st.lists(_with_foreach(st.builds(UpdateSyntax, names, id_lists, formulas, st.booleans())), max_size=2).map(
    tuple
)
parts = st.none() | st.builds(PartSyntax, st.none() | formulas)
message_lists = st.lists(messages, max_size=2).map(tuple)
optional = st.none() | formulas


def _possible(action: ActionSyntax) -> bool:
    """Post messages must come after another late part."""
    late = (action.new, action.clone, action.updates, action.retain)
    return not action.post_messages or any(part is not None for part in late)


actions = st.builds(
    ActionSyntax,
    ids,
    id_lists,
    st.lists(st.builds(ParameterSyntax, ids, sets), max_size=1).map(tuple),
    st.just(()) | texts,
    optional,
    optional,
    optional,
    focus_items,
    optional,
    message_lists,
    parts,
    parts,
    st.none() | updates,
    optional,
    message_lists,
    parts,
).filter(_possible)
locations = ids | strings | st.just("A")
programs = st.builds(
    ProgramSyntax,
    st.lists(declarations, max_size=3).map(tuple),
    st.lists(actions, max_size=2).map(tuple),
    st.lists(st.builds(EdgeSyntax, locations, ids, id_lists, locations), min_size=1, max_size=3).map(tuple),
    st.lists(st.builds(LocationSyntax, locations), max_size=2).map(tuple),
)
