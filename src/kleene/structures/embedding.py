"""Embedding of structures (thesis Def. 2.3, generalised to maybe-active nodes in Def. 7.1) and isomorphism."""

from __future__ import annotations

from itertools import product

from kleene.structures.structure import AC, SM, Structure


def find_embedding(a: Structure, b: Structure) -> tuple[int, ...] | None:
    """A function from the nodes of a to the nodes of b that embeds a in b, if there is one."""
    return _search(a, b, injective=False)


def embeds(a: Structure, b: Structure) -> bool:
    """True iff a can be embedded in b: everything that a represents, b represents too."""
    return find_embedding(a, b) is not None


def isomorphic(a: Structure, b: Structure) -> bool:
    """True iff the structures differ by the numbering of their nodes only."""
    if a.size != b.size:
        return False
    return _search(a, b, injective=True) is not None


def _search(a: Structure, b: Structure, *, injective: bool) -> tuple[int, ...] | None:
    if not _rails_agree(a, b, (), injective):
        return None
    candidates = [[v for v in b.nodes if _unary_fits(a, u, b, v, injective)] for u in a.nodes]
    order = sorted(a.nodes, key=lambda u: len(candidates[u]))
    image: list[int] = [-1] * a.size

    def place(k: int) -> bool:
        if k == len(order):
            return _covers(a, b, image)
        u = order[k]
        for v in candidates[u]:
            taken = any(image[w] == v for w in order[:k])
            if taken and (injective or not b.is_summary(v)):
                continue
            image[u] = v
            if _rails_agree(a, b, tuple((w, image[w]) for w in order[: k + 1]), injective) and place(k + 1):
                return True
        image[u] = -1
        return False

    return tuple(image) if place(0) else None


def _covers(a: Structure, b: Structure, image: list[int]) -> bool:
    """Def. 7.1 (iii): every node of b that is definitely active stands for some node of a."""
    hit = sum(1 << v for v in set(image))
    return not b.values[AC] & ~hit


def _unary_fits(a: Structure, u: int, b: Structure, v: int, exact: bool) -> bool:
    for p, predicate in enumerate(a.vocabulary):
        if predicate.arity == 1:
            x = (a.values[2 * p] >> u & 1, a.values[2 * p + 1] >> u & 1)
            y = (b.values[2 * p] >> v & 1, b.values[2 * p + 1] >> v & 1)
            if x != y and (exact or y != (0, 1)):
                return False
    return exact or not (a.values[SM] >> u & 1 and not b.values[SM] >> v & 1)


def _rails_agree(a: Structure, b: Structure, placed: tuple[tuple[int, int], ...], exact: bool) -> bool:
    """Every tuple over the placed nodes that includes the last of them has a value allowed by its image."""
    for p, predicate in enumerate(a.vocabulary):
        arity = predicate.arity
        if arity == 1 or (arity == 0) != (not placed):
            continue
        for pairs in product(placed, repeat=arity):
            if pairs and placed[-1] not in pairs:
                continue
            i = a.layout.bit(tuple(u for u, _ in pairs))
            j = b.layout.bit(tuple(v for _, v in pairs))
            x = (a.values[2 * p] >> i & 1, a.values[2 * p + 1] >> i & 1)
            y = (b.values[2 * p] >> j & 1, b.values[2 * p + 1] >> j & 1)
            if x != y and (exact or y != (0, 1)):
                return False
    return True
