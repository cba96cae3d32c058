#include "coerce.hpp"

namespace kleene {

Words Rules::mask(const std::vector<int>& rules) const {
  Words made(words);
  for (int rule : rules) {
    if (rule < 0 || rule >= count) throw std::invalid_argument("there is no such rule");
    made[rule / 64] |= bit(rule % 64);
  }
  return made;
}

Rules::Rules(const Signature& signature, int count, const std::vector<std::vector<int>>& readers,
             const std::vector<std::vector<int>>& writers, const std::vector<int>& equality,
             const std::vector<int>& added, const std::vector<int>& removed)
    : signature(signature), count(count), words((count + 63) / 64) {
  if (count < 0) throw std::invalid_argument("the number of rules is negative");
  const auto rails = static_cast<std::size_t>(signature.rails());
  if (readers.size() != rails || writers.size() != rails)
    throw std::invalid_argument("the readers and writers of rules are given for each rail");
  all.assign(words, 0);
  for (int rule = 0; rule < count; ++rule) all[rule / 64] |= bit(rule % 64);
  equality_readers = mask(equality);
  after_new = mask(added), after_removal = mask(removed);
  for (const auto& given : readers) readers_.push_back(mask(given));
  for (const auto& given : writers) writers_.push_back(mask(given));
}

void Rules::add(bool all_active, std::vector<Rule> rules) {
  if (static_cast<int>(rules.size()) != count) throw std::invalid_argument("every rule has to be given");
  for (const Rule& rule : rules) {
    if (!rule.program || rule.program->outputs.empty() || rule.program->parameters)
      throw std::invalid_argument("the program of a rule has an output and no parameters");
    const int arity = rule.program->outputs[0].arity;
    if (rule.head == Head::predicate) {
      signature.check_rail(rule.rail);
      if (signature.arity(rule.rail) != arity) throw std::invalid_argument("the head of a rule has another arity");
      if (rule.program->outputs.size() > 1 && rule.program->outputs[1].arity != arity)
        throw std::invalid_argument("what a rule may repair has another arity");
    } else if (rule.head != Head::refute && arity != 2) {
      throw std::invalid_argument("an equality is binary");
    }
  }
  for (Rule& rule : rules) {
    demand.include(rule.program);
    for (const Instruction& i : rule.program->code) {
      const std::size_t count = rule.vectors + rule.matrices;
      const bool is_vector = i.code == static_cast<int>(Op::guard_v) && !rule.matrices;
      if (count == Rule::kMostTested || !(is_vector || i.code == static_cast<int>(Op::guard_m))) break;
      rule.tested[count] = i.a;
      ++(is_vector ? rule.vectors : rule.matrices);
    }
  }
  variants_[all_active] = std::move(rules);
  has_[all_active] = true;
}

namespace {

enum class Outcome { contradiction, nothing, repaired };

// One rail of a head that is a predicate, for each kind of value. `must` says which rail of the predicate the head
// sets.
template <bool must, class V>
Outcome repair(V& own, V other, V violated, const V* single) {
  if (violated & (must ? ~other : other)) return Outcome::contradiction;
  if (single && !(violated &= *single)) return Outcome::nothing;
  own = must ? own | violated : own & ~violated;
  return Outcome::repaired;
}

template <bool must, int W>
Outcome repair(Matrix<W>* own, const Matrix<W>* other, const Matrix<W>* violated, const Matrix<W>* single, int count) {
  bool left = !single;
  for (int k = 0; k < count; ++k) {
    Matrix<W> breach;
    if constexpr (must)
      without(breach, violated[k], other[k]);
    else
      both(breach, violated[k], other[k]);
    if (some(breach)) return Outcome::contradiction;
    if (single) {
      both(breach, violated[k], single[k]);
      left = left || some(breach);
    }
  }
  if (!left) return Outcome::nothing;
  for (int k = 0; k < count; ++k) {
    Matrix<W> changed = violated[k];
    if (single) both(changed, changed, single[k]);
    if constexpr (must)
      either(own[k], own[k], changed);
    else
      without(own[k], own[k], changed);
  }
  return Outcome::repaired;
}

template <bool must, int W>
Outcome repair_rail(const Rules& rules, const Rule& rule, Draft<W>& draft, Worker<W>& worker) {
  const Program& program = *rule.program;
  const bool partly = program.outputs.size() > 1;
  const int own = rules.signature.slot(rule.rail);
  const int other = rules.signature.slot(rule.rail ^ 1);
  switch (rules.signature.kind(rule.rail)) {
    case Kind::vector: {
      const VectorOf<W> single = partly ? worker.vector(program, 1, draft) : 0;
      return repair<must>(draft.v[own], draft.v[other], worker.vector(program, 0, draft), partly ? &single : nullptr);
    }
    case Kind::matrix: {
      const Matrix<W> violated = worker.matrix(program, 0, draft);
      const Matrix<W>* single = partly ? &worker.matrix(program, 1, draft) : nullptr;
      return repair<must, W>(draft.m + own, draft.m + other, &violated, single, 1);
    }
    default: {
      const Matrix<W>* found = worker.tensor(program, 0, draft);
      const std::vector<Matrix<W>> violated(found, found + W);
      const Matrix<W>* single = partly ? worker.tensor(program, 1, draft) : nullptr;
      return repair<must, W>(draft.tensor(own), draft.tensor(other), violated.data(), single, W);
    }
  }
}

template <int W>
Outcome make_single(const Rule& rule, Draft<W>& draft, Worker<W>& worker) {
  const Matrix<W>& violated = worker.matrix(*rule.program, 0, draft);
  const VectorOf<W> nodes = diagonal(violated);
  Matrix<W> equal;
  on_diagonal(equal, nodes);
  if (!same(equal, violated)) return Outcome::contradiction;
  const VectorOf<W> single = nodes & draft.v[kSm];
  if (!single) return Outcome::nothing;
  if (single & draft.v[kSmMust]) return Outcome::contradiction;
  draft.v[kSm] ^= single;
  return Outcome::repaired;
}

template <int W>
bool may_apply(const Rule& rule, const Draft<W>& draft) {
  std::size_t k = 0;
  for (; k < rule.vectors; ++k)
    if (!draft.v[rule.tested[k]]) return false;
  for (const std::size_t end = k + rule.matrices; k < end; ++k)
    if (!some(draft.m[rule.tested[k]])) return false;
  return true;
}

template <int W>
Outcome applied(const Rules& rules, const Rule& rule, Draft<W>& draft, Worker<W>& worker) {
  const int first = rule.vectors + rule.matrices;
  if (!may_apply(rule, draft) || !run(*rule.program, draft, nullptr, worker.temporaries, first))
    return Outcome::nothing;
  switch (rule.head) {
    case Head::refute:
      return Outcome::contradiction;
    case Head::predicate:
      return rule.rail & 1 ? repair_rail<false>(rules, rule, draft, worker)
                           : repair_rail<true>(rules, rule, draft, worker);
    case Head::equal:
      return make_single(rule, draft, worker);
    case Head::different:
      return diagonal(worker.matrix(*rule.program, 0, draft)) ? Outcome::contradiction : Outcome::nothing;
  }
  return Outcome::nothing;
}

}  // namespace

template <int W>
int sharpen(const Rules& rules, Draft<W>& draft, Worker<W>& worker) {
  worker.tick();
  int k = 0;
  while (k < rules.words && !draft.dirty[k]) ++k;
  if (k == rules.words) return -1;
  const std::vector<Rule>& variant = rules.variant(draft.all_active());
  while (k < rules.words) {
    if (!draft.dirty[k]) {
      ++k;
      continue;
    }
    const int number = 64 * k + std::countr_zero(draft.dirty[k]);
    draft.dirty[k] &= draft.dirty[k] - 1;
    if constexpr (W > kNarrow) worker.tick();
    const Rule& rule = variant[number];
    const Outcome outcome = applied(rules, rule, draft, worker);
    if (outcome == Outcome::contradiction) return number;
    if (outcome == Outcome::repaired) {
      const Words& breached = rules.readers(rule.head == Head::equal ? static_cast<int>(kSm) : rule.rail);
      mark(draft.dirty, breached);
      for (int first = 0; first < k; ++first)  // rules before this one come first again
        if (breached[first]) {
          k = first;
          break;
        }
    }
  }
  return -1;
}

template int sharpen<8>(const Rules&, Draft<8>&, Worker<8>&);
template int sharpen<16>(const Rules&, Draft<16>&, Worker<16>&);
template int sharpen<32>(const Rules&, Draft<32>&, Worker<32>&);
template int sharpen<64>(const Rules&, Draft<64>&, Worker<64>&);
template int sharpen<128>(const Rules&, Draft<128>&, Worker<128>&);
template int sharpen<256>(const Rules&, Draft<256>&, Worker<256>&);
template int sharpen<512>(const Rules&, Draft<512>&, Worker<512>&);

}  // namespace kleene
