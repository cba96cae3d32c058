#include "embedding.hpp"

#include <algorithm>
#include <numeric>

namespace kleene {

namespace {

// The value (must, may) of a tuple of one structure allows that of its image in another: equal, or 1/2 there.
bool fits(int x, int y, bool exact) { return x == y || (!exact && y == 2); }

template <class V>
int value_of(V must, V may, int place) {
  return has_bit(must, place) | has_bit(may, place) << 1;
}

// `V` has a bit for each node of both.
template <class V>
class Search {
 public:
  Search(const Record& a, const Record& b, bool exact, Ticker& ticker)
      : a_(a), b_(b), signature_(*a.signature), exact_(exact), ticker_(ticker), candidates_(a.n), image_(a.n, -1) {}

  bool run() {
    if (!nullary_fit() || !find_candidates()) return false;
    find_told(Kind::matrix, matrices_);
    find_told(Kind::tensor, tensors_);
    order_.resize(a_.n);
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int u, int v) { return bits_in(candidates_[u]) < bits_in(candidates_[v]); });
    return place(0);
  }

 private:
  static constexpr int kWidth = 8 * sizeof(V);
  static V row(const Record& record, std::size_t index) { return record.row<V>(index); }
  static V vector(const Record& record, int slot) { return row(record, slot); }

  bool nullary_fit() {
    for (int s = signature_.unary(); s < signature_.count(Kind::vector); s += 2)
      if (!fits(value_of(vector(a_, s), vector(a_, s + 1), 0), value_of(vector(b_, s), vector(b_, s + 1), 0), exact_))
        return false;
    return true;
  }

  bool find_candidates() {
    for (int u = 0; u < a_.n; ++u) {
      V& allowed = candidates_[u] = full<kWidth>(b_.n);
      for (int s = 0; s < signature_.unary() && allowed; s += 2) {
        const V must = vector(b_, s), may = vector(b_, s + 1);
        const V equal = (has_bit(vector(a_, s), u) ? must : ~must) & (has_bit(vector(a_, s + 1), u) ? may : ~may);
        allowed &= exact_ ? equal : equal | (may & ~must);
      }
      if (!exact_ && has_bit(vector(a_, kSm), u)) allowed &= vector(b_, kSm);
      if (!allowed) return false;
    }
    return true;
  }

  // The predicates of a kind that are not 0 everywhere in both: the others agree on all tuples.
  void find_told(Kind kind, std::vector<int>& told) const {
    const auto empty = [&](const Record& record, int slot) {
      const std::size_t at = kind == Kind::matrix ? record.matrix_at(slot) : record.tensor_at(slot);
      const std::size_t rows = kind == Kind::matrix ? record.n : static_cast<std::size_t>(record.n) * record.n;
      for (std::size_t k = 0; k < rows; ++k)
        if (row(record, at + k)) return false;
      return true;
    };
    for (int s = 0; s < signature_.count(kind); s += 2) {
      ticker_.tick(a_.n);
      if (!empty(a_, s) || !empty(a_, s + 1) || !empty(b_, s) || !empty(b_, s + 1)) told.push_back(s);
    }
  }

  bool place(int k) {
    ticker_.tick(a_.n);
    if (k == a_.n) return covers();
    const int u = order_[k];
    for (V left = candidates_[u]; left; left &= left - 1) {
      const int v = lowest(left);
      if (has_bit(taken_, v) && (exact_ || !has_bit(vector(b_, kSm), v))) continue;
      image_[u] = v;
      const V before = taken_;
      taken_ |= bit<kWidth>(v);
      if (agrees(k) && place(k + 1)) return true;
      taken_ = before;
    }
    image_[u] = -1;
    return false;
  }

  // Def. 7.1 (iii): every node of b that is definitely active stands for some node of a.
  bool covers() const { return !(vector(b_, kAc) & ~taken_); }

  // Every tuple over the placed nodes that includes the last of them has a value allowed by its image.
  bool agrees(int k) const {
    const int u = order_[k];
    for (int s : matrices_) {
      ticker_.tick(k);
      for (int j = 0; j <= k; ++j)
        if (!pair_fits(s, u, order_[j]) || !pair_fits(s, order_[j], u)) return false;
    }
    for (int s : tensors_)
      for (int i = 0; i <= k; ++i) {
        ticker_.tick(k);
        for (int j = 0; j <= k; ++j) {
          const int x = order_[i], y = order_[j];
          if (!triple_fits(s, u, x, y) || !triple_fits(s, x, u, y) || !triple_fits(s, x, y, u)) return false;
        }
      }
    return true;
  }

  bool pair_fits(int slot, int u, int w) const {
    const int i = image_[u], j = image_[w];
    const int x = value_of(row(a_, a_.matrix_at(slot) + u), row(a_, a_.matrix_at(slot + 1) + u), w);
    const int y = value_of(row(b_, b_.matrix_at(slot) + i), row(b_, b_.matrix_at(slot + 1) + i), j);
    return fits(x, y, exact_);
  }

  bool triple_fits(int slot, int u, int w, int z) const {
    const std::size_t from = static_cast<std::size_t>(u) * a_.n + w;
    const std::size_t to = static_cast<std::size_t>(image_[u]) * b_.n + image_[w];
    const int x = value_of(row(a_, a_.tensor_at(slot) + from), row(a_, a_.tensor_at(slot + 1) + from), z);
    const int y = value_of(row(b_, b_.tensor_at(slot) + to), row(b_, b_.tensor_at(slot + 1) + to), image_[z]);
    return fits(x, y, exact_);
  }

  const Record &a_, &b_;
  const Signature& signature_;
  bool exact_;
  Ticker& ticker_;
  std::vector<V> candidates_;
  std::vector<int> image_, order_, matrices_, tensors_;
  V taken_ = 0;
};

bool search(const Record& a, const Record& b, bool exact, Ticker& ticker) {
  const int most = std::max(a.n, b.n);
  if (most <= 64) return Search<Vector>(a, b, exact, ticker).run();
  return most <= 128 ? Search<WideVector>(a, b, exact, ticker).run()
                     : Search<VectorOf<kMostWidth>>(a, b, exact, ticker).run();
}

}  // namespace

bool embeds(const Record& a, const Record& b, Ticker& ticker) { return search(a, b, false, ticker); }

bool isomorphic(const Record& a, const Record& b, Ticker& ticker) { return a.n == b.n && search(a, b, true, ticker); }

}  // namespace kleene
