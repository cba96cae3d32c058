"""How predicates are packed into integers: one `Layout` for each width tier.

A half ("rail") of a unary predicate is an integer with a bit per node. A half of a k-ary predicate is a
W x ... x W bit tensor packed in one integer: the tuple (i1, ..., ik) is bit ((i1 * W + i2) * W + ...) + ik.
The width W of a structure depends on its number of nodes only, so equal structures have equal integers.
Two columns are always spare: they make the reductions below exact (the modulus never wraps to zero).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from kleene.diagnostics import Limit, LimitReached

TIERS = (16, 32, 64, 128, 256, 512)
MOST_NODES = TIERS[-1] - 2
"""Nodes of the largest structure."""
_MEMO_LIMIT = 1 << 15
_LARGE_MEMO_LIMIT = 1 << 12  # for tensors of three and more axes


class _Memo(dict[int, int]):
    """A dictionary that computes missing entries, and forgets everything when it grows too large."""

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[int], int]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: int) -> int:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        value = self._compute(key)
        self[key] = value
        return value


def _halves(width: int) -> list[int]:
    """Half of a width, that again halved, and so on to 1."""
    return [width >> k for k in range(1, width.bit_length())]


class Layout:
    """The constants and bit operations of one width W. All methods are pure."""

    def __init__(self, width: int) -> None:
        w = self.width = width
        self.capacity = w - 2
        self.row = (1 << w) - 1
        self.col = sum(1 << (i * w) for i in range(w))  # column 0; times a vector: M[i][j] = v[j]
        self.diagonal = sum(1 << (i * w + i) for i in range(w))
        self.high = self.col << (w - 1)
        self.low = self.col * (self.row >> 1)
        self.modulus = (1 << (w - 1)) - 1
        self.rows = _Memo(self._rows)
        self.transposed = _Memo(self._transpose)
        self.closed = _Memo(self._close)
        self._exchanges = [(self._upper_right(size), size * (w - 1)) for size in _halves(w)]
        self._products: dict[tuple[int, int], int] = {}
        self._closures: dict[tuple[int, int], int] = {}
        self._inserted: dict[tuple[int, int, int], int] = {}
        self._full: dict[tuple[int, int], int] = {}

    def _upper_right(self, size: int) -> int:
        """The entries of the upper right quarter of each square of `2 * size` rows."""
        half = (1 << size) - 1
        row = sum(half << (j + size) for j in range(0, self.width, 2 * size))
        return sum(row << (i * self.width) for i in range(self.width) if not i & size)

    # Vectors to matrices -------------------------------------------------------------------------------

    def _rows(self, vector: int) -> int:
        """M[i][j] = v[i]. Kept in `rows`, which is a dictionary."""
        w, row, result = self.width, self.row, 0
        while vector:
            i = vector.bit_length() - 1
            result |= row << (i * w)
            vector ^= 1 << i
        return result

    def full(self, nodes: int, arity: int) -> int:
        """All tuples over the first `nodes` nodes."""
        full = self._full.get((nodes, arity))
        if full is None:
            full = 1
            universe = (1 << nodes) - 1
            for k in range(arity):  # prepend an axis: a copy of the block for each node
                block = self.width**k
                full = sum(full << (i * block) for i in range(nodes) if universe >> i & 1)
            self._full[nodes, arity] = full
        return full

    # Matrices to vectors and matrices --------------------------------------------------------------------

    def any_in_row(self, matrix: int) -> int:
        """v[i] = exists j: M[i][j]."""
        low = self.low
        return ((((matrix & low) + low) | matrix) & self.high) % self.modulus

    def any_in_column(self, matrix: int) -> int:
        """v[j] = exists i: M[i][j]."""
        shift = self.width * self.width >> 1
        while shift >= self.width:
            matrix |= matrix >> shift
            shift >>= 1
        return matrix & self.row

    def image(self, vector: int, matrix: int) -> int:
        """v'[j] = exists i: v[i] and M[i][j]."""
        w, result = self.width, 0
        while vector and matrix:
            i = vector.bit_length() - 1
            result |= matrix >> (i * w)
            vector ^= 1 << i
        return result & self.row

    def preimage(self, matrix: int, vector: int) -> int:
        """v'[i] = exists j: M[i][j] and v[j]."""
        return self.any_in_row(matrix & (vector * self.col))

    def diagonal_of(self, matrix: int) -> int:
        """v[i] = M[i][i]."""
        return self.any_in_row(matrix & self.diagonal)

    def on_diagonal(self, vector: int) -> int:
        """M[i][j] = v[i] and i == j."""
        return self.rows[vector] & self.diagonal

    def _transpose(self, matrix: int) -> int:
        """Kept in `transposed`. Quarters change places, then quarters of quarters, all of one size at once."""
        for mask, distance in self._exchanges:
            differing = (matrix ^ (matrix >> distance)) & mask
            matrix ^= differing | (differing << distance)
        return matrix

    def product(self, left: int, right: int) -> int:
        """M[i][k] = exists j: L[i][j] and R[j][k]."""
        memo = self._products
        result = memo.get((left, right))
        if result is None:
            if len(memo) >= _MEMO_LIMIT:
                memo.clear()
            result = memo[left, right] = self._product(left, right)
        return result

    def _product(self, left: int, right: int) -> int:
        w, row, col, result, j, rest = self.width, self.row, self.col, 0, 0, right
        while rest:
            targets = rest & row
            if targets:
                result |= ((left >> j) & col) * targets
            rest >>= w
            j += 1
        return result

    def closure(self, matrix: int, through: int) -> int:
        """Paths of one or more steps whose inner nodes lie in `through` (thesis Def. 7.3)."""
        memo = self._closures
        result = memo.get((matrix, through))
        if result is None:
            if len(memo) >= _MEMO_LIMIT:
                memo.clear()
            result = memo[matrix, through] = self._closure(matrix, through)
        return result

    def _closure(self, matrix: int, through: int) -> int:
        w, row, col = self.width, self.row, self.col
        while through:
            k = through.bit_length() - 1
            through ^= 1 << k
            targets = (matrix >> (k * w)) & row
            if targets:
                matrix |= ((matrix >> k) & col) * targets
        return matrix

    def _close(self, matrix: int) -> int:
        """Paths through all nodes. Kept in `closed`, which is a dictionary."""
        return self._closure(matrix, self.row)

    def closures(self, tensor: int, arity: int, through: int) -> int:
        """`closure` of each matrix of a tensor: the last two axes are closed, the leading ones are indices."""
        bits = self.width * self.width
        mask = (1 << bits) - 1
        result = 0
        position = 0
        while tensor:
            result |= self.closure(tensor & mask, through) << (position * bits)
            tensor >>= bits
            position += 1
        return result

    # Tensors of any arity ----------------------------------------------------------------------------------

    def insert_axis(self, tensor: int, arity: int, axis: int) -> int:
        """Broadcast along a new axis, which becomes axis number `axis` of `arity` + 1."""
        memo = self._inserted
        result = memo.get((tensor, arity, axis))
        if result is None:
            if len(memo) >= _LARGE_MEMO_LIMIT:
                memo.clear()
            result = memo[tensor, arity, axis] = self._insert_axis(tensor, arity, axis)
        return result

    def _insert_axis(self, tensor: int, arity: int, axis: int) -> int:
        w = self.width
        if axis == arity:  # each bit becomes a row
            bits, spread, step = w, self.rows.__getitem__, w * w
        else:
            bits = w ** (arity - axis)
            spread, step = self._copies(bits).__mul__, bits * w
        mask = (1 << bits) - 1
        result = 0
        position = 0
        while tensor:
            block = tensor & mask
            if block:
                result |= spread(block) << position
            tensor >>= bits
            position += step
        return result

    @cache  # noqa: B019 (there are few layouts, and they live for ever)
    def _copies(self, bits: int) -> int:
        """One bit at each multiple of `bits`, W of them."""
        return sum(1 << (i * bits) for i in range(self.width))

    def drop_axis(self, tensor: int, arity: int, axis: int) -> int:
        """Exists along one axis."""
        w = self.width
        inner = w ** (arity - axis - 1)
        outer_bits = inner * w
        inner_mask = (1 << inner) - 1
        outer_mask = (1 << outer_bits) - 1
        result = 0
        position = 0
        while tensor:
            block = tensor & outer_mask
            folded = 0
            while block:
                folded |= block & inner_mask
                block >>= inner
            result |= folded << (position * inner)
            tensor >>= outer_bits
            position += 1
        return result

    def slice_axis(self, tensor: int, arity: int, axis: int, node: int) -> int:
        """Fix one axis to a node; the result has one axis less."""
        w = self.width
        inner = w ** (arity - axis - 1)
        inner_mask = (1 << inner) - 1
        outer_bits = inner * w
        outer_mask = (1 << outer_bits) - 1
        result = 0
        position = 0
        while tensor:
            part = ((tensor & outer_mask) >> (node * inner)) & inner_mask
            result |= part << (position * inner)
            tensor >>= outer_bits
            position += 1
        return result

    def permute_axes(self, tensor: int, order: tuple[int, ...]) -> int:
        """Axis number k of the result is axis number order[k] of the tensor."""
        if order == tuple(range(len(order))):
            return tensor
        if len(order) == 2:
            return self.transposed[tensor]
        for axis in _swaps(order):
            tensor = self._swap_axes(tensor, self.width ** (len(order) - axis - 2))
        return tensor

    def _swap_axes(self, tensor: int, inner: int) -> int:
        """Exchange two adjacent axes; `inner` is the number of bits of an entry."""
        w = self.width
        row_bits, block_bits = inner * w, inner * w * w
        cell_mask, row_mask, block_mask = (1 << inner) - 1, (1 << row_bits) - 1, (1 << block_bits) - 1
        result = position = 0
        while tensor:
            block = tensor & block_mask
            if block and inner == 1:
                result |= self.transposed[block] << position
            row_position = position
            while block and inner > 1:
                row = block & row_mask
                cell_position = row_position
                while row:
                    result |= (row & cell_mask) << cell_position
                    row >>= inner
                    cell_position += row_bits
                block >>= row_bits
                row_position += inner
            tensor >>= block_bits
            position += block_bits
        return result

    def bit(self, nodes: tuple[int, ...]) -> int:
        """The bit number of a tuple of nodes."""
        number = 0
        for node in nodes:
            number = number * self.width + node
        return number

    def tuples(self, tensor: int, arity: int) -> list[tuple[int, ...]]:
        """The tuples of a tensor, in increasing order."""
        tuples = []
        while tensor:
            low = tensor & -tensor
            tensor ^= low
            number = low.bit_length() - 1
            index = []
            for _ in range(arity):
                number, node = divmod(number, self.width)
                index.append(node)
            tuples.append(tuple(reversed(index)))
        return tuples

    def restride(self, tensor: int, arity: int, target: Layout) -> int:
        """The same tensor in another layout."""
        if arity < 2 or target.width == self.width:
            return tensor
        result = 0
        inner = self.width ** (arity - 1)
        mask = (1 << inner) - 1
        position = 0
        while tensor:
            part = tensor & mask
            if part:
                moved = self.restride(part, arity - 1, target)
                result |= moved << (position * target.width ** (arity - 1))
            tensor >>= inner
            position += 1
        return result


@cache
def _swaps(order: tuple[int, ...]) -> tuple[int, ...]:
    """The axes to exchange with their successors, one after the other, so that axis k becomes what order[k] was."""
    axes, swaps = list(range(len(order))), []
    for place, wanted in enumerate(order):
        for axis in range(axes.index(wanted) - 1, place - 1, -1):
            axes[axis], axes[axis + 1] = axes[axis + 1], axes[axis]
            swaps.append(axis)
    return tuple(swaps)


@cache
def layout_of_width(width: int) -> Layout:
    return Layout(width)


@cache
def layout_for(nodes: int) -> Layout:
    """The layout of a structure with the given number of nodes."""
    for width in TIERS:
        if nodes <= width - 2:
            return layout_of_width(width)
    raise LimitReached(f"a structure of {nodes} nodes is larger than Kleene can represent ({MOST_NODES})", Limit.SIZE)
