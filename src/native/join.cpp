#include "join.hpp"

namespace kleene {

namespace {

// The bits of may rails in the payload of a structure of n nodes, as words.
std::vector<std::uint64_t> may_bits(const Signature& signature, int n) {
  Record* made = Record::make(signature, n);
  const RecordRef kept = RecordRef::adopt(made);
  std::memset(made->payload(), 0, made->bytes);
  for (int rail = 1; rail < signature.rails(); rail += 2) {
    const auto [at, count] = made->rail(rail);
    for (std::size_t k = at; k < at + count; ++k) made->set_row(k, ~VectorOf<kMostWidth>{0});
  }
  std::vector<std::uint64_t> words(made->bytes / 8);
  std::memcpy(words.data(), made->payload(), made->bytes);
  return words;
}

}  // namespace

RecordRef join_partial(const RecordRef& a, const Record& b) {
  if (a->n != b.n) throw std::invalid_argument("partial join needs structures with the same node names");
  const Signature& signature = *a->signature;
  const int n = a->n;
  const std::vector<std::uint64_t>& may = signature.remembered(n, [&] { return may_bits(signature, n); });
  const auto word = [](const Record& record, std::size_t k) {
    std::uint64_t out;
    std::memcpy(&out, record.payload() + 8 * k, 8);
    return out;
  };
  // Less is certain, more is possible: what is 1 in both, and what is not 0 in one of them.
  const auto both = [&](std::size_t k) {
    const std::uint64_t x = word(*a, k), y = word(b, k);
    return (x & y) | ((x | y) & may[k]);
  };
  std::uint64_t changed = 0;
  for (std::size_t k = 0; k < may.size(); ++k) changed |= both(k) ^ word(*a, k);
  if (!changed) return a;
  Record* made = Record::make(signature, n);
  RecordRef joined = RecordRef::adopt(made);
  for (std::size_t k = 0; k < may.size(); ++k) {
    const std::uint64_t value = both(k);
    std::memcpy(made->payload() + 8 * k, &value, 8);
  }
  made->seal();
  return joined;
}

namespace {

// All rows of a record, as numbers of one type.
template <class V>
std::vector<V> rows_of(const Record& record) {
  std::vector<V> rows(record.tensor_at(record.signature->count(Kind::tensor)));
  with_row(record, [&](auto like) {
    if constexpr (sizeof like <= sizeof(V)) {
      const char* from = record.payload();
      for (V& row : rows) {
        std::memcpy(&like, from, sizeof like);
        row = static_cast<V>(like), from += sizeof like;
      }
    }
  });
  return rows;
}

template <class V>
RecordRef record_of(const Signature& signature, int n, const std::vector<V>& rows) {
  Record* made = Record::make(signature, n);
  RecordRef kept = RecordRef::adopt(made);
  with_row(*made, [&](auto like) {
    if constexpr (sizeof like <= sizeof(V)) {
      char* to = made->payload();
      for (const V& row : rows) {
        like = static_cast<decltype(like)>(row);
        std::memcpy(to, &like, sizeof like), to += sizeof like;
      }
    }
  });
  made->seal();
  return kept;
}

// Where the nodes of the join come from on one side: the old node of each new one, -1 if this side lacks it.
template <class V>
struct Side {
  const Record& record;
  std::vector<V> rows = rows_of<V>(record);
  std::vector<int> from = {};
  std::vector<int> to = std::vector<int>(record.n, -1);  // the new node of each old one
  V present = 0;
  bool stays = true;  // no node has another number

  void add(int old) {
    const int made = static_cast<int>(from.size());
    from.push_back(old);
    if (old < 0) return;
    to[old] = made;
    present |= bit<8 * sizeof(V)>(made);
    stays = stays && old == made;
  }
  // The old pair of nodes of a new one, as numbers of rows of a tensor; -1 if this side lacks it.
  int pair(std::size_t row) const {
    const int i = from[row / from.size()], j = from[row % from.size()];
    return i >= 0 && j >= 0 ? i * record.n + j : -1;
  }
  V moved(const V& v) const {
    if (stays) return v;
    V out = 0;
    each_bit(v, [&](int u) {
      if (to[u] >= 0) out |= bit<8 * sizeof(V)>(to[u]);
    });
    return out;
  }
};

// The nodes of two structures in the order of their names, those of b behind those of a where they are equal. Canonical
// structures have their nodes in this order.
template <class Order>
std::vector<int> by_name(int a, int b, const Order& order) {
  const auto before = [&](int x, int y) { return order(x, y) < 0; };
  std::vector<int> nodes(a + b);
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto middle = nodes.begin() + a;
  if (!std::is_sorted(nodes.begin(), middle, before) || !std::is_sorted(middle, nodes.end(), before)) {
    std::stable_sort(nodes.begin(), nodes.end(), before);
    return nodes;
  }
  std::vector<int> merged(nodes.size());
  std::merge(nodes.begin(), middle, middle, nodes.end(), merged.begin(), before);
  return merged;
}

// `V` has a bit for each node of both and of the join.
template <class V>
RecordRef join_by_names(const Record& a, const Record& b, const Naming& naming) {
  constexpr int kWidth = 8 * sizeof(V);
  Side<V> sides[2] = {{a}, {b}};
  const auto names_of = [&](int s) {
    return Names(naming, sides[s].record.n, [&](int slot) { return sides[s].rows[slot]; });
  };
  const Names names_a = names_of(0), names_b = names_of(1);
  const auto name_order = [&](int x, int y) {  // nodes of b come behind those of a
    const Names &p = x < a.n ? names_a : names_b, &q = y < a.n ? names_a : names_b;
    return Names::compare(p, x < a.n ? x : x - a.n, q, y < a.n ? y : y - a.n);
  };
  const std::vector<int> nodes = by_name(a.n, b.n, name_order);
  for (std::size_t first = 0, last; first < nodes.size(); first = last) {
    int old[2] = {-1, -1};
    for (last = first; last < nodes.size() && (last == first || !name_order(nodes[last - 1], nodes[last])); ++last)
      (nodes[last] < a.n ? old[0] : old[1]) = nodes[last] < a.n ? nodes[last] : nodes[last] - a.n;
    for (int s : {0, 1}) sides[s].add(old[s]);
  }
  const std::size_t size = sides[0].from.size();
  if (size > kMostNodes) throw TooManyNodes(size);
  const Signature& signature = *a.signature;
  const int n = static_cast<int>(size);
  const bool same_names = n == a.n && n == b.n && sides[0].stays && sides[1].stays;
  if (same_names && sides[0].rows[kAcMay] == full<kWidth>(n)) return join_partial(RecordRef::share(a), b);
  std::vector<V> rows(Record::rows_for(signature, n));
  for (int rail = 0; rail < signature.rails(); ++rail) {
    const Kind kind = signature.kind(rail);
    const bool nullary = signature.arity(rail) == 0;
    const std::size_t count = kind == Kind::vector ? 1 : kind == Kind::matrix ? size : size * size;
    const std::size_t to = Record::rail_at(signature, n, rail);
    const std::size_t at[2] = {Record::rail_at(signature, a.n, rail), Record::rail_at(signature, b.n, rail)};
    for (std::size_t k = 0; k < count; ++k) {
      V value[2], within[2];
      for (int s : {0, 1}) {
        const Side<V>& side = sides[s];
        const int index = kind == Kind::vector ? 0 : kind == Kind::matrix ? side.from[k] : side.pair(k);
        const V found = index >= 0 ? side.rows[at[s] + static_cast<std::size_t>(index)] : V{0};
        value[s] = nullary ? found : side.moved(found);
        within[s] = index < 0 ? V{0} : nullary ? V{1} : side.present;
      }
      // A side that lacks a tuple says nothing about it; one that both lack is 0.
      rows[to + k] =
          rail & 1 ? value[0] | value[1] : (value[0] | ~within[0]) & (value[1] | ~within[1]) & (within[0] | within[1]);
    }
  }
  rows[kAc] &= sides[0].present & sides[1].present;
  rows[kAcMay] = full<kWidth>(n);
  if (n == a.n && rows == sides[0].rows) return RecordRef::share(a);
  return record_of(signature, n, rows);
}

}  // namespace

RecordRef join_independent(const Record& a, const Record& b, const Naming& naming) {
  if (a.n + b.n <= 64) return join_by_names<Vector>(a, b, naming);
  return join_by_names<VectorOf<kMostWidth>>(a, b, naming);
}

}  // namespace kleene
