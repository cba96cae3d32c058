#include "transformer.hpp"

#include <iterator>

namespace kleene {

Action::Action(const Rules& rules, const StepOptions& options, Naming naming, Naming plain_naming,
               std::vector<Plan> plans, bool has_precondition, int parameters, bool creates, bool clones, bool retains,
               std::vector<OnlyIf> messages, std::vector<OnlyIf> post_messages, std::vector<int> updated)
    : rules(rules),
      signature(rules.signature),
      options(options),
      naming(std::move(naming)),
      plain_naming(std::move(plain_naming)),
      plans(std::move(plans)),
      has_precondition(has_precondition),
      parameters(parameters),
      creates(creates),
      clones(clones),
      retains(retains),
      messages(std::move(messages)),
      post_messages(std::move(post_messages)),
      updated(std::move(updated)) {
  if (parameters < 0 || parameters > kMostParameters) throw std::invalid_argument("an action has too many variables");
  for (int rail : this->updated) {
    signature.check_rail(rail);
    if (rail & 1) throw std::invalid_argument("an update is given by its must rail");
  }
  for (const Plan& plan : this->plans)
    for (const Conjunction& conjunction : plan)
      for (const Literal& literal : conjunction) {
        if (literal.must >= 0) {
          signature.check_rail(literal.must + 1);
          if (literal.must & 1 || signature.arity(literal.must) != literal.arity)
            throw std::invalid_argument("a literal of a focus plan has another arity");
        } else if (literal.arity != 2) {
          throw std::invalid_argument("an equality is binary");
        }
        for (const ProgramRef& prefix : literal.prefix) {
          if (!prefix) continue;
          demand.include(prefix);
          if (prefix->outputs.size() != 1 || prefix->parameters)
            throw std::invalid_argument("a prefix of a focus plan has one output");
          for (int k = 0; k < literal.arity; ++k)
            if (literal.known[k] >= prefix->outputs[0].arity)
              throw std::invalid_argument("a prefix of a focus plan binds fewer variables");
        }
      }
}

void Action::check(const ProgramRef& program, std::size_t outputs, int arity, int parameters) const {
  if (!program) return;
  if (program->outputs.size() != outputs || program->parameters > parameters)
    throw std::invalid_argument("a program of an action has other outputs or parameters");
  for (const Operand& output : program->outputs)
    if (output.arity != arity) throw std::invalid_argument("a program of an action has another arity");
}

void Action::add(bool all_active, ActionPrograms programs) {
  if (has_precondition != !programs.precondition.empty() || creates < (programs.added != nullptr) ||
      clones != (programs.clone != nullptr) || retains != (programs.retain != nullptr) ||
      updated.empty() != !programs.update || messages.empty() != !programs.messages ||
      post_messages.empty() != !programs.post_messages)
    throw std::invalid_argument("the programs do not fit the action");
  if (has_precondition && static_cast<int>(programs.precondition.size()) != std::max(1, parameters))
    throw std::invalid_argument("a precondition has a program for each of its variables");
  for (std::size_t k = 0; k < programs.precondition.size(); ++k)
    check(programs.precondition[k], 1, parameters ? 1 : 0, static_cast<int>(k));
  check(programs.messages, 2 * messages.size(), 0, parameters);
  check(programs.added, 2, 1, parameters);
  check(programs.clone, 2, 1, parameters);
  check(programs.retain, 2, 1, parameters);
  check(programs.post_messages, 2 * post_messages.size(), 0, 0);
  if (programs.update) {
    if (programs.update->outputs.size() != 2 * updated.size() || programs.update->parameters > parameters)
      throw std::invalid_argument("the program of an update has other outputs or parameters");
    for (std::size_t k = 0; k < programs.update->outputs.size(); ++k)
      if (programs.update->outputs[k].arity != signature.arity(updated[k / 2]))
        throw std::invalid_argument("the program of an update has another arity");
  }
  for (const ProgramRef& program : programs.precondition) demand.include(program);
  for (const ProgramRef* program : {&programs.messages, &programs.added, &programs.clone, &programs.update,
                                    &programs.retain, &programs.post_messages})
    demand.include(*program);
  programs_[all_active] = std::move(programs);
}

void StepOutcome::cut(const Mark& to) {
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(to.results), results.end());
  reports.erase(reports.begin() + static_cast<std::ptrdiff_t>(to.reports), reports.end());
  unmet.erase(unmet.begin() + static_cast<std::ptrdiff_t>(to.unmet), unmet.end());
  discarded = to.discarded, discarded_in_focus = to.discarded_in_focus;
  if (!to.contradictory) contradictory = {};
}

void StepOutcome::append(StepOutcome&& other) {
  const auto move_to = [](auto& all, auto& more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  move_to(results, other.results), move_to(reports, other.reports), move_to(unmet, other.unmet);
  discarded += other.discarded, discarded_in_focus += other.discarded_in_focus;
  if (!contradictory) contradictory = std::move(other.contradictory);
}

namespace {

using Assignment = std::array<int, kMostParameters>;

template <int W>
class Step {
 public:
  using Ref = DraftRef<W>;
  using Refs = std::vector<Ref>;

  Step(const Action& action, Worker<W>& worker, StepOutcome& outcome)
      : action_(action),
        options_(action.options),
        rules_(action.rules),
        signature_(action.signature),
        worker_(worker),
        pool_(worker.pool),
        focuser_(action.rules, options_.focusing, worker),
        outcome_(outcome) {}

  void run(const Record& structure) {
    Ref given = pool_.make();
    unpack(structure, *given);
    given_ = &structure;
    const std::uint64_t copies = pool_.copies;
    if (options_.closed_input)
      std::fill_n(given->dirty, rules_.words, 0);
    else
      std::copy(rules_.all.begin(), rules_.all.end(), given->dirty);
    if (options_.early_precondition && action_.has_precondition && !action_.parameters && !is_enabled(*given)) return;
    Refs drafts = focused(std::move(given));
    is_split_ = pool_.copies != copies;
    for (Ref& draft : drafts) {
      worker_.tick();
      if (options_.coerce_before && !coerced(*draft)) {
        ++outcome_.discarded;
        continue;
      }
      each_assignment(*draft, [&](const Assignment& assignment) {
        apply(*draft, assignment);
        return true;
      });
    }
    outcome_.discarded_in_focus += focuser_.discarded;
  }

 private:
  const ActionPrograms& programs(const Draft<W>& draft) const { return action_.programs(draft.all_active()); }

  bool evaluate(const Program& program, const Draft<W>& draft, const Assignment& assignment) {
    return kleene::run(program, draft, assignment.data(), worker_.temporaries);
  }

  Refs focused(Ref draft) {
    const InStage stage = worker_.in(Stage::focus);
    Refs drafts;
    drafts.push_back(std::move(draft));
    if (!options_.focus) return drafts;
    for (std::size_t k = 0; k < action_.plans.size(); ++k) {
      if (options_.coerce_during_focus && options_.coerce_before && k)
        std::erase_if(drafts, [&](Ref& d) { return !coerced(*d); });
      if (options_.filter_during_focus) std::erase_if(drafts, [&](Ref& d) { return !is_enabled(*d); });
      Refs next;
      for (Ref& d : drafts)
        for (Ref& result : focuser_.focus(std::move(d), action_.plans[k])) next.push_back(std::move(result));
      drafts = std::move(next);
    }
    return drafts;
  }

  bool coerced(Draft<W>& draft) {
    const InStage stage = worker_.in(Stage::coerce);
    return sharpen(rules_, draft, worker_) < 0;
  }

  bool is_enabled(Draft<W>& draft) {
    const InStage stage = worker_.in(Stage::precondition);
    bool any = false;
    each_assignment(draft, [&](const Assignment&) {
      any = true;
      return false;
    });
    return any;
  }

  // Calls f for the nodes for the precondition's variables at which it is not 0, until f returns false.
  template <class F>
  void each_assignment(const Draft<W>& draft, F&& f) {
    Assignment assignment{};
    if (!action_.has_precondition) {
      f(assignment);
    } else if (!action_.parameters) {
      const Program& program = *programs(draft).precondition[0];
      evaluate(program, draft, assignment);
      if (worker_.vector(program, 0, draft)) f(assignment);
    } else {
      choose(draft, assignment, 0, f);
    }
  }

  template <class F>
  bool choose(const Draft<W>& draft, Assignment& assignment, int chosen, F& f) {
    if (chosen == action_.parameters) return f(assignment);
    const Program& program = *programs(draft).precondition[chosen];
    evaluate(program, draft, assignment);
    for (VectorOf<W> left = worker_.vector(program, 0, draft); left; left &= left - 1) {
      assignment[chosen] = lowest(left);
      if (!choose(draft, assignment, chosen + 1, f)) return false;
    }
    return true;
  }

  void apply(Draft<W>& draft, const Assignment& assignment) {
    const std::size_t before = outcome_.reports.size();
    report(false, action_.messages, programs(draft).messages, draft, assignment);
    if (options_.freeze && outcome_.reports.size() > before) return;
    if (!action_.changes_values() && keeps(draft) && retains_all(draft, assignment)) return keep();
    Ref result = updated(draft, assignment);
    if (!changed_ && keeps(draft)) return keep();
    if (options_.coerce_after && !coerced(*result)) {
      ++outcome_.discarded;
      if (!outcome_.contradictory) outcome_.contradictory = packed(signature_, *updated(draft, assignment));
      return;
    }
    if (!action_.post_messages.empty()) {
      Ref blurred = pool_.copy(*result);
      blur_by(*blurred, action_.plain_naming);
      report(true, action_.post_messages, programs(*blurred).post_messages, *blurred, {});
    }
    if (options_.blur) blur_by(*result, action_.naming);
    outcome_.results.push_back(packed(signature_, *result));
  }

  // The result is the given structure, which satisfies the rules already.
  void keep() { outcome_.results.push_back(RecordRef::share(*given_)); }

  // Whether an action that changes nothing in a draft leads to the given structure: it was not split, and blur changes
  // nothing.
  bool keeps(const Draft<W>& draft) {
    if (!action_.post_messages.empty() || !options_.closed_input || is_split_) return false;
    const InStage stage = worker_.in(Stage::blur);
    return !options_.blur || is_blurred(draft, action_.naming);
  }

  // Whether no node is removed, nor may be; traces of an earlier step would be removed too.
  bool retains_all(const Draft<W>& draft, const Assignment& assignment) {
    if (!action_.retains) return true;
    if (!draft.all_active() || draft.v[kIsNewMay] || some(draft.m[signature_.slot(kInstanceMay)])) return false;
    const Program& program = *programs(draft).retain;
    evaluate(program, draft, assignment);
    return worker_.vector(program, 0, draft) == draft.all();
  }

  void blur_by(Draft<W>& draft, const Naming& naming) {
    const InStage stage = worker_.in(Stage::blur);
    blur(draft, signature_, naming);
  }

  // New nodes, updates, removed nodes; the given draft is not changed.
  Ref updated(const Draft<W>& draft, const Assignment& assignment) {
    const InStage stage = worker_.in(Stage::update);
    VectorOf<W> kept_must = 0, kept_may = 0;
    if (action_.retains) {
      const Program& program = *programs(draft).retain;
      evaluate(program, draft, assignment);
      kept_must = worker_.vector(program, 0, draft), kept_may = worker_.vector(program, 1, draft);
    }
    const VectorOf<W> old = draft.all();
    Ref wider;
    const Draft<W>* from = &draft;
    if (action_.changes_universe()) {
      wider = with_new(draft, assignment);
      from = wider.get();
    }
    Ref result = pool_.copy(*from);
    changed_ = action_.changes_universe();
    if (!action_.updated.empty()) update(*from, assignment, *result);
    if (action_.changes_universe()) {
      result->v[kIsNew] = result->v[kIsNewMay] = 0;
      zero(result->m[signature_.slot(kInstance)]);
      zero(result->m[signature_.slot(kInstanceMay)]);
      if (action_.retains) {
        result->v[kAc] &= kept_must | ~old;
        const VectorOf<W> removed = old & ~kept_may;
        if (removed) {
          remove_nodes(*result, signature_, removed);
          mark(result->dirty, rules_.after_removal);
        }
      }
      mark_new(draft, *result);
    }
    return result;
  }

  // A node on which every predicate was 0 before the update breaches few rules; copies, and nodes that may not be
  // there, may breach any.
  void mark_new(const Draft<W>& draft, Draft<W>& result) {
    const bool plain = !action_.clones && !(action_.creates && programs(draft).added);
    if (!plain || !draft.all_active() || !result.all_active())
      std::copy(rules_.all.begin(), rules_.all.end(), result.dirty);
    else if (action_.creates)
      mark(result.dirty, rules_.after_new);
  }

  void update(const Draft<W>& from, const Assignment& assignment, Draft<W>& to) {
    const Program& program = *programs(from).update;
    evaluate(program, from, assignment);
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
      const int rail = action_.updated[k / 2] + static_cast<int>(k % 2);
      const int slot = signature_.slot(rail), output = static_cast<int>(k);
      bool gained = false, lost = false;
      switch (signature_.kind(rail)) {
        case Kind::vector: {
          const VectorOf<W> value = worker_.vector(program, output, from);
          gained = static_cast<bool>(value & ~from.v[slot]), lost = static_cast<bool>(from.v[slot] & ~value);
          to.v[slot] = value;
          break;
        }
        case Kind::matrix:
          replace(to.m[slot], from.m[slot], worker_.matrix(program, output, from), gained, lost);
          break;
        case Kind::tensor:
          for (int i = 0; i < from.n; ++i)
            replace(to.tensor(slot)[i], from.tensor(slot)[i], worker_.tensor(program, output, from)[i], gained, lost);
      }
      // a may rail: a body gains truth when bits are lost
      changed_ = changed_ || gained || lost;
      if (gained) mark(to.dirty, rail & 1 ? rules_.writers(rail) : rules_.readers(rail));
      if (lost) mark(to.dirty, rail & 1 ? rules_.readers(rail) : rules_.writers(rail));
    }
  }

  static void replace(Matrix<W>& to, const Matrix<W>& from, const Matrix<W>& value, bool& gained, bool& lost) {
    Matrix<W> difference;
    without(difference, value, from);
    gained = gained || some(difference);
    without(difference, from, value);
    lost = lost || some(difference);
    to = value;
  }

  Ref with_new(const Draft<W>& draft, const Assignment& assignment) {
    Ref result = pool_.copy(draft);
    if (action_.creates) {
      if (const ProgramRef& program = programs(draft).added) {
        evaluate(*program, draft, assignment);
        add(*result, worker_.vector(*program, 0, draft), worker_.vector(*program, 1, draft));
      } else {
        add_nodes(*result, 1);
        begin(*result, result->n - 1, true);
      }
    }
    if (action_.clones) {
      const Program& program = *programs(draft).clone;
      evaluate(program, draft, assignment);
      const VectorOf<W> must = worker_.vector(program, 0, draft), originals = worker_.vector(program, 1, draft);
      const int first = result->n;
      add(*result, must, originals);
      copy_tuples(*result, originals, first);
    }
    return result;
  }

  void begin(Draft<W>& draft, int node, bool active) {
    for (int rail : {kAcMay, kIsNew, kIsNewMay}) draft.v[rail] |= bit<W>(node);
    if (active) draft.v[kAc] |= bit<W>(node);
  }

  // A new node for each original: `sm` and `ac` are copied, `instance` links them.
  void add(Draft<W>& draft, VectorOf<W> must, VectorOf<W> originals) {
    int node = draft.n;
    add_nodes(draft, bits_in(originals));
    each_bit(originals, [&](int u) {
      begin(draft, node, has_bit(must & draft.v[kAc], u));
      for (int rail : {kSm, kSmMust}) draft.v[rail] |= (draft.v[rail] >> u & 1) << node;
      for (int rail : {kInstance, kInstanceMay}) draft.m[signature_.slot(rail)].row[node] |= as_row<W>(bit<W>(u));
      ++node;
    });
  }

  // Copies have their originals' values of all predicates, among themselves; none between copy and original.
  void copy_tuples(Draft<W>& draft, VectorOf<W> originals, int first) {
    int copy[W] = {};
    int node = first;
    each_bit(originals, [&](int u) { copy[u] = node++; });
    const auto moved = [&](VectorOf<W> v) {
      VectorOf<W> out = 0;
      each_bit(v & originals, [&](int u) { out |= bit<W>(copy[u]); });
      return out;
    };
    const auto copy_rows = [&](Matrix<W>& to, const Matrix<W>& from) {
      each_bit(originals, [&](int u) { to.row[copy[u]] |= as_row<W>(moved(from.row[u])); });
    };
    for (int rail = kBuiltInRails; rail < signature_.rails(); ++rail) {
      const int slot = signature_.slot(rail);
      if (signature_.arity(rail) == 1) draft.v[slot] |= moved(draft.v[slot]);
      if (signature_.arity(rail) == 2) copy_rows(draft.m[slot], draft.m[slot]);
      if (signature_.arity(rail) == 3)
        each_bit(originals, [&](int u) { copy_rows(draft.tensor(slot)[copy[u]], draft.tensor(slot)[u]); });
    }
  }

  void report(bool post, const std::vector<OnlyIf>& messages, const ProgramRef& program, const Draft<W>& draft,
              const Assignment& assignment) {
    if (messages.empty()) return;
    evaluate(*program, draft, assignment);
    RecordRef structure;
    for (std::size_t k = 0; k < messages.size(); ++k) {
      const int number = static_cast<int>(k);
      const VectorOf<W> must = worker_.vector(*program, 2 * number, draft);
      const VectorOf<W> may = worker_.vector(*program, 2 * number + 1, draft);
      const bool fires = messages[k] == OnlyIf::any ? may != 0 : messages[k] == OnlyIf::one ? must != 0 : may == 0;
      if (!fires) {
        if (messages[k] != OnlyIf::any) outcome_.unmet.push_back({post, number});
        continue;
      }
      if (!structure) structure = packed(signature_, draft);
      outcome_.reports.push_back({post, number, messages[k] == OnlyIf::zero || must != 0, structure});
    }
  }

  const Action& action_;
  const StepOptions& options_;
  const Rules& rules_;
  const Signature& signature_;
  Worker<W>& worker_;
  DraftPool<W>& pool_;
  Focuser<W> focuser_;
  const Record* given_ = nullptr;
  bool is_split_ = false;  // focus made copies of it, and may have changed them
  bool changed_ = false;   // the last update changed something
  StepOutcome& outcome_;
};

}  // namespace

template <int W>
void step(const Action& action, const Record& structure, Worker<W>& worker, StepOutcome& outcome) {
  Step<W>(action, worker, outcome).run(structure);
}

template void step<8>(const Action&, const Record&, Worker<8>&, StepOutcome&);
template void step<16>(const Action&, const Record&, Worker<16>&, StepOutcome&);
template void step<32>(const Action&, const Record&, Worker<32>&, StepOutcome&);
template void step<64>(const Action&, const Record&, Worker<64>&, StepOutcome&);
template void step<128>(const Action&, const Record&, Worker<128>&, StepOutcome&);
template void step<256>(const Action&, const Record&, Worker<256>&, StepOutcome&);
template void step<512>(const Action&, const Record&, Worker<512>&, StepOutcome&);

}  // namespace kleene
