// Structures in the making (the twin of transformers/draft.py): every rail at full width, ready to compute with.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "signature.hpp"

namespace kleene {

// A set of rules, as a bit mask of as many words as the analysis needs.
using Words = std::vector<std::uint64_t>;

// Thrown where a structure needs more nodes than the width allows; the step begins again with the next width.
struct NeedsWidth {};
// Thrown where the Python machine has to take over: too many nodes, or an error that it words.
struct NeedsPython : std::exception {
  const char* what() const noexcept override { return "the Python machine is needed"; }
};
// Thrown where a join has more nodes than a structure may have; the text is how many.
struct TooManyNodes : std::length_error {
  explicit TooManyNodes(std::size_t nodes) : std::length_error(std::to_string(nodes)) {}
};
// Thrown where programs for structures with maybe-active nodes are not compiled yet.
struct NeedsGeneral {};
// Thrown when a signal handler raised, or another thread stopped.
struct Interrupted {};

template <int W>
struct Draft {
  int n;
  std::uint64_t* dirty;
  VectorOf<W>* v;
  Matrix<W>* m;
  Matrix<W>* t;  // W matrices for each tensor

  VectorOf<W> all() const { return full<W>(n); }
  bool all_active() const { return v[kAc] == all(); }
  bool summary(int u) const { return has_bit(v[kSm], u); }
  Matrix<W>* tensor(int slot) const { return t + static_cast<std::size_t>(slot) * W; }
};

// Allocates drafts of one signature and width, and uses them again.
template <int W>
class DraftPool {
 public:
  DraftPool(const Signature& signature, int dirty_words)
      : vectors_(signature.count(Kind::vector)),
        unary_(signature.unary()),
        matrices_(signature.count(Kind::matrix)),
        tensors_(signature.count(Kind::tensor)),
        dirty_(dirty_words) {
    head_ = rounded(sizeof(Draft<W>));
    v_at_ = head_ + rounded(sizeof(std::uint64_t) * dirty_);
    m_at_ = v_at_ + rounded(sizeof(VectorOf<W>) * vectors_);
    t_at_ = m_at_ + sizeof(Matrix<W>) * matrices_;
    t_at_ = rounded(t_at_);
    bytes_ = t_at_ + rounded(sizeof(Matrix<W>) * W * tensors_);
  }
  DraftPool(const DraftPool&) = delete;
  DraftPool& operator=(const DraftPool&) = delete;
  ~DraftPool() {
    for (Draft<W>* draft : free_) std::free(draft);
  }

  struct Return {
    DraftPool* pool;
    void operator()(Draft<W>* draft) const { pool->free_.push_back(draft); }
  };
  using Ref = std::unique_ptr<Draft<W>, Return>;

  // A draft whose contents are whatever they were.
  Ref make() {
    if (free_.empty()) {
      void* memory = std::aligned_alloc(kAlignment, bytes_);
      if (!memory) throw std::bad_alloc();
      auto* base = static_cast<char*>(memory);
      auto* draft = new (memory) Draft<W>;
      draft->dirty = reinterpret_cast<std::uint64_t*>(base + head_);
      draft->v = reinterpret_cast<VectorOf<W>*>(base + v_at_);
      draft->m = reinterpret_cast<Matrix<W>*>(base + m_at_);
      draft->t = reinterpret_cast<Matrix<W>*>(base + t_at_);
      free_.reserve(++made_);  // so that giving back never fails
      return Ref(draft, Return{this});
    }
    Draft<W>* draft = free_.back();
    free_.pop_back();
    return Ref(draft, Return{this});
  }

  Ref copy(const Draft<W>& from) {
    ++copies;
    Ref made = make();
    made->n = from.n;
    std::memcpy(made->dirty, from.dirty, bytes_ - head_);
    return made;
  }

  std::uint64_t copies = 0;  // made so far: drafts that are not copies are not changed

  int dirty_words() const { return dirty_; }
  int unary() const { return unary_; }
  int matrices() const { return matrices_; }
  int tensors() const { return tensors_; }

 private:
  static constexpr std::size_t kAlignment = 32;
  static std::size_t rounded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  int vectors_, unary_, matrices_, tensors_, dirty_;
  std::size_t head_, v_at_, m_at_, t_at_, bytes_;
  std::size_t made_ = 0;
  std::vector<Draft<W>*> free_;
};

template <int W>
using DraftRef = typename DraftPool<W>::Ref;

}  // namespace kleene
