// From formulas to operation graphs (the twin of structures/program/build.py, with the same cases in the same order).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "formula.hpp"
#include "graph.hpp"

namespace kleene {

enum Rail { kMust, kMay };

// A value together with the variable of each of its axes.
struct Tensor {
  Value value;
  Names axes;
};
using Tensors = std::vector<Tensor>;

// The places of predicates: those of a vocabulary, or in the order in which they are first asked for.
class Places {
 public:
  explicit Places(nb::object given);  // a dictionary from names to places, or None
  int of(Name predicate);
  // The predicates in order, the built-in ones first; only where no places were given.
  const std::vector<Name>& own() const { return own_; }

 private:
  nb::object given_;
  std::unordered_map<Name, int> known_;
  std::vector<Name> own_;
};

// Builds values for formulas into one graph. `parameters` are variables that stand for a node given when the program
// runs. With `all_active`, every node is known to be active, and programs do not look at `ac`.
class Builder {
 public:
  Builder(Places& places, bool all_active, Names parameters);

  Graph graph;

  Value tensor(const Formula& f, Rail rail, const Names& axes);
  Tensor build(const Formula& f, Rail rail, bool negated = false);
  Tensor equal(Name a, Name b, Rail rail);
  Tensor conjunction(const Tensors& tensors);
  Tensor eliminate(const Names& variables, const Tensors& tensors, Rail rail);
  Value align(const Tensor& tensor, const Names& axes);
  bool all_active() const { return all_active_; }
  Value active();

 private:
  Tensor build_node(const Formula& f, Rail rail, bool negated);
  Tensor literal(const Formula& f, Rail rail);
  std::vector<const Formula*> parts(const Formula& f);
  Tensors build_all(const std::vector<const Formula*>& formulas, Rail rail, bool negated);
  Tensor iff(const Formula& f, Rail rail, bool negated);
  Tensor if_then_else(const Formula& f, Rail rail, bool negated);
  Tensor apply(Value tensor, const Names& args);
  void merge_repeated(Value& tensor, Names& axes);
  Tensor closure(const Formula& f, Rail rail);
  Tensor complement(const Tensor& tensor);
  Tensor disjunction(Tensors tensors);
  Tensor exists(const Formula& f, Rail rail, bool negated);
  Tensor exists_in(const Names& variables, const Formula& body, Rail rail, bool negated);
  Tensor witness_part(const Formula& f, const Names& variables, Rail rail, bool negated);
  Tensor witness(Name v, const Tensors& inside);
  bool is_parameter(Name v) const;
  int parameter(Name v) const { return static_cast<int>(parameters_.find(v)); }
  // Looks for signals now and then, whose handlers may raise: a formula that shares its parts can be very large.
  void tick() {
    if (!(++ticks_ & kTicksBetweenLooks) && PyErr_CheckSignals()) throw nb::python_error();
  }
  // Hides parameters of these names; the memo holds nothing of another reading.
  Names hide(const Names& names);
  void unhide(const Names& hidden);

  // One formula inside another. Python's RecursionError where its stack would end too.
  class Deeper {
   public:
    explicit Deeper(int& depth) : depth_(depth) {
      if (++depth_ <= kMostDepth) return;
      --depth_;
      PyErr_SetString(PyExc_RecursionError, "a formula is nested too deeply");
      throw nb::python_error();
    }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;

   private:
    static constexpr int kMostDepth = 500;
    int& depth_;
  };

  static constexpr std::uint32_t kTicksBetweenLooks = 4095;  // less than a millisecond
  Places& places_;
  bool all_active_;
  Names parameters_;
  Names bound_;
  std::unordered_map<std::uint64_t, Tensor> memo_;
  Name instance_;
  int depth_ = 0;
  std::uint32_t ticks_ = 0;
};

inline bool has(const Names& names, Name name) { return names.find(name) != Names::npos; }
void add_new(Names& names, const Names& more);
bool same_set(const Names& a, const Names& b);

}  // namespace kleene
