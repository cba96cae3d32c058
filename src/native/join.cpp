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

// Where the nodes of the join come from on one side: the old node of each new one, -1 if this side lacks it.
template <class V>
struct Side {
  explicit Side(const Record& own) : record(own) {}
  const Record& record;
  std::vector<int> from;
  V present = 0;

  // Nodes that stay neighbours are moved together: both sides have nearly all of them in the same order.
  void find_runs() {
    constexpr int kWidth = 8 * sizeof(V);
    for (std::size_t g = 0; g < from.size(); ++g) {
      if (from[g] < 0) continue;
      const V here = bit<kWidth>(static_cast<int>(g));
      present |= here;
      const int by = static_cast<int>(g) - from[g];
      if (runs_.empty() || runs_.back().by != by) runs_.push_back({by, 0});
      runs_.back().to |= here;
    }
  }
  V moved(const V& v) const {
    V out = 0;
    for (const Run& run : runs_) out |= (run.by < 0 ? v >> -run.by : v << run.by) & run.to;
    return out;
  }

 private:
  struct Run {
    int by;
    V to;
  };
  std::vector<Run> runs_;
};

// `V` has a bit for each node of both and of the join.
template <class V>
RecordRef join_by_names(const Record& a, const Record& b, const Naming& naming) {
  constexpr int kWidth = 8 * sizeof(V);
  const Names names_a(naming, a.n, [&](int slot) { return a.row<V>(slot); });
  const Names names_b(naming, b.n, [&](int slot) { return b.row<V>(slot); });
  const auto name_order = [&](int x, int y) {  // nodes of b come behind those of a
    const Names &p = x < a.n ? names_a : names_b, &q = y < a.n ? names_a : names_b;
    return Names::compare(p, x < a.n ? x : x - a.n, q, y < a.n ? y : y - a.n);
  };
  std::vector<int> nodes(a.n + b.n);
  std::iota(nodes.begin(), nodes.end(), 0);
  std::stable_sort(nodes.begin(), nodes.end(), [&](int x, int y) { return name_order(x, y) < 0; });
  Side<V> sides[2] = {Side<V>{a}, Side<V>{b}};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (!k || name_order(nodes[k - 1], nodes[k]) != 0)
      for (Side<V>& side : sides) side.from.push_back(-1);
    sides[nodes[k] >= a.n].from.back() = nodes[k] < a.n ? nodes[k] : nodes[k] - a.n;
  }
  const std::size_t size = sides[0].from.size();
  if (size > kMostNodes) throw TooManyNodes(size);
  for (Side<V>& side : sides) side.find_runs();
  const Signature& signature = *a.signature;
  const int n = static_cast<int>(size);
  Record* made = Record::make(signature, n);
  RecordRef joined = RecordRef::adopt(made);
  // A side that lacks a tuple says nothing about it; one that both lack is 0.
  const auto row = [&](bool may, const V& x, const V& y, const V& in_a, const V& in_b) {
    return may ? x | y : (x | ~in_a) & (y | ~in_b) & (in_a | in_b);
  };
  for (int rail = 0; rail < signature.rails(); ++rail) {
    const bool may = rail & 1;
    const auto [to, count] = made->rail(rail);
    const int arity = signature.arity(rail);
    for (std::size_t k = 0; k < count; ++k) {
      V value[2], within[2];
      for (int s = 0; s < 2; ++s) {
        const Side<V>& side = sides[s];
        const std::size_t at = side.record.rail(rail).first;
        const std::size_t old = side.record.n;
        std::size_t index = 0;
        bool there = true;
        if (arity == 2) {
          there = side.from[k] >= 0;
          index = there ? side.from[k] : 0;
        } else if (arity == 3) {
          const int i = side.from[k / n], j = side.from[k % n];
          there = i >= 0 && j >= 0;
          index = there ? static_cast<std::size_t>(i) * old + j : 0;
        }
        const V found = there ? side.record.template row<V>(at + index) : V{0};
        value[s] = arity ? side.moved(found) : found;
        within[s] = !there ? V{0} : arity ? side.present : V{1};
      }
      made->set_row(to + k, row(may, value[0], value[1], within[0], within[1]));
    }
  }
  made->set_row(kAc, made->template row<V>(kAc) & sides[0].present & sides[1].present);
  made->set_row(kAcMay, full<kWidth>(n));
  made->seal();
  return joined;
}

}  // namespace

RecordRef join_independent(const Record& a, const Record& b, const Naming& naming) {
  if (a.n + b.n <= 64) return join_by_names<Vector>(a, b, naming);
  return join_by_names<VectorOf<kMostWidth>>(a, b, naming);
}

}  // namespace kleene
