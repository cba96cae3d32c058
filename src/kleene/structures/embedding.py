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
    candidates = _candidates(a, b, exact=injective)
    if candidates is None:
        return None
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


def _candidates(a: Structure, b: Structure, *, exact: bool) -> list[list[int]] | None:
    """For each node of a, the nodes of b whose unary values allow it; None if one has none.

    The nodes of b are the bits of a word, so that each predicate is compared for all of them at once.
    """
    everything = (1 << b.size) - 1
    unary = [2 * p for p, predicate in enumerate(a.vocabulary) if predicate.arity == 1]
    candidates = []
    for u in a.nodes:
        fitting = everything if exact or not a.values[SM] >> u & 1 else b.values[SM]
        for low in unary:
            first, second = b.values[low], b.values[low + 1]
            allowed = 0 if exact else second & ~first  # 1/2
            same = first if a.values[low] >> u & 1 else ~first
            same &= second if a.values[low + 1] >> u & 1 else ~second
            fitting &= allowed | same
            if not fitting:
                return None
        candidates.append([v for v in b.nodes if fitting >> v & 1])
    return candidates


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
