#include "local_heaps.hpp"

#include <algorithm>
#include <stdexcept>

#include "edit.hpp"
#include "editor.hpp"

namespace kleene {

// Tables -------------------------------------------------------------------------------------------------------------

LocalHeaps::LocalHeaps(const Signature& signature, const std::vector<GivenGroup>& groups,
                       const std::vector<GivenPath>& paths, const std::vector<GivenRoot>& roots,
                       const std::vector<GivenRoot>& markers, std::vector<std::vector<int>> by_root,
                       std::vector<std::vector<int>> by_marker, const std::map<std::string, std::vector<int>>& lists,
                       Pairs held, Pairs same)
    : signature(signature),
      held(std::move(held)),
      same(std::move(same)),
      by_root_(std::move(by_root)),
      by_marker_(std::move(by_marker)) {
  if (signature.count(Kind::tensor)) throw std::invalid_argument("calls know predicates of two arguments at most");
  if (by_root_.size() != by_marker_.size()) throw std::invalid_argument("a role is missing");
  for (std::size_t role = 0; role < by_root_.size(); ++role) {
    if (by_root_[role].size() != roots.size() || by_marker_[role].size() != markers.size())
      throw std::invalid_argument("a role has a predicate of each root, or none");
    for (const std::vector<int>* of : {&by_root_[role], &by_marker_[role]})
      for (int rail : *of)
        if (rail >= 0) check_vector(rail);
  }
  for (const auto& [group, role, whole, closure] : paths) {
    check_role(role);
    if (group < 0 || group >= static_cast<int>(groups.size())) throw std::invalid_argument("there is no such group");
    if (closure >= 0) check(closure, 2);
    this->paths.push_back({group, role, whole, closure});
  }
  for (const GivenGroup& group : groups) this->groups.push_back(group_of(group));
  for (const Path& path : this->paths) {
    const Group& group = this->groups[static_cast<std::size_t>(path.group)];
    if ((path.whole ? group.name : group.step) < 0) throw std::invalid_argument("a path of a group without edges");
  }
  for (const GivenRoot& root : roots) this->roots.push_back(root_of(root));
  for (const GivenRoot& marker : markers) this->markers.push_back(root_of(marker));
  const auto list = [&](const char* name, int arity) {
    const auto known = lists.find(name);
    if (known == lists.end()) throw std::invalid_argument("a list of predicates is missing");
    const std::vector<int>& found = known->second;
    for (int rail : found) {
      signature.check_rail(rail);
      check(rail, arity < 0 ? signature.arity(rail) : arity);
    }
    return found;
  };
  const auto single = [&](const char* name, int arity) {
    const std::vector<int> found = list(name, arity);
    return found.empty() ? -1 : found[0];
  };
  binary = list("binary", 2), edges = list("edges", 2), steps = list("steps", 2), recorded = list("recorded", 2);
  numbers = list("numbers", 1), odd = list("odd", 1), cancelling = list("cancelling", 1), others = list("others", -1);
  opaque = single("opaque", 1), outer = single("outer", 0), heap = single("heap", 1), freed = single("freed", 1);
  if (heap < 0 || freed < 0) throw std::invalid_argument("a program with calls has a heap");
  for (const auto& [edge, name] : this->held) check(edge, 2), check(name, 1);
  for (const auto& [name, relation] : this->same) check(name, 1), check(relation, 2);
  for (auto& programs : definitions_) programs.resize(static_cast<std::size_t>(signature.predicates()));
}

void LocalHeaps::check(int rail, int arity) const {
  signature.check_rail(rail);
  if (rail & 1 || signature.arity(rail) != arity) throw std::invalid_argument("a predicate of a call is another one");
}

void LocalHeaps::check_vector(int rail) const {
  signature.check_rail(rail);
  if (rail & 1 || signature.kind(rail) != Kind::vector)
    throw std::invalid_argument("a predicate of a call has too many arguments");
}

void LocalHeaps::check_role(int role) const {
  if (role < 0 || role >= static_cast<int>(by_root_.size())) throw std::invalid_argument("there is no such role");
}

Reach LocalHeaps::reach_of(const std::pair<int, int>& given, int arity) const {
  check(given.first, arity);
  if (given.second < 0 || given.second >= static_cast<int>(paths.size()))
    throw std::invalid_argument("there is no such path");
  return {given.first, given.second};
}

Group LocalHeaps::group_of(const GivenGroup& given) const {
  const auto& [followed, name, step, members, closures, sharing, crowding, cut, at_borders, guides] = given;
  Group made{followed, name, step, members, {}, sharing, crowding, cut, at_borders, {}};
  for (int rail : {name, step})
    if (rail >= 0) check(rail, 2);
  if (name < 0 && !(sharing.empty() && crowding.empty())) throw std::invalid_argument("a group has no edges");
  for (int rail : members) check(rail, 2);
  for (const auto* unary : {&sharing, &crowding, &cut, &at_borders})
    for (int rail : *unary) check(rail, 1);
  for (const auto& closure : closures) made.closures.push_back(reach_of(closure, 2));
  for (const auto& [root, reach, before_cuts] : guides) {
    check(root, 1);
    for (int rail : {reach, before_cuts})
      if (rail >= 0) check(rail, 1);
    made.guides.push_back({root, reach, before_cuts});
  }
  return made;
}

Root LocalHeaps::root_of(const GivenRoot& given) const {
  const auto& [rail, reaches, cells] = given;
  check(rail, 1);
  Root made{rail, {}, {}};
  for (const auto& reach : reaches) made.reaches.push_back(reach_of(reach, 1));
  for (const auto& [cell, role, has] : cells) {
    check(cell, 0), check_role(role);
    if (has >= 0) check(has, 1);
    made.cells.push_back({cell, role, has});
  }
  return made;
}

void LocalHeaps::define(int rail, bool all_active, ProgramRef program) {
  signature.check_rail(rail);
  if (!program || program->outputs.size() != 2 || program->parameters)
    throw std::invalid_argument("a definition has two rails and no parameters");
  for (const Operand& output : program->outputs)
    if (output.arity != signature.arity(rail)) throw std::invalid_argument("a definition has another arity");
  demand.include(program);
  definitions_[all_active][static_cast<std::size_t>(rail) / 2] = std::move(program);
}

Call::Call(const LocalHeaps& heaps, std::vector<int> starts, const Pairs& pointers, Pairs nullary,
           std::vector<int> kept_pointers, std::vector<int> kept_roots, const std::vector<int>& shared_roots,
           std::vector<int> forgotten, Pairs given, const std::vector<std::pair<Pairs, Pairs>>& parameters,
           std::vector<int> gone, const std::vector<GivenReturned>& returned, Pairs results, Pairs result_values)
    : starts(std::move(starts)),
      nullary(std::move(nullary)),
      kept_pointers(std::move(kept_pointers)),
      kept_roots(std::move(kept_roots)),
      forgotten(std::move(forgotten)),
      gone(std::move(gone)),
      given(std::move(given)),
      results(std::move(results)),
      result_values(std::move(result_values)) {
  const auto check_root = [&](int number) {
    if (number < 0 || number >= static_cast<int>(heaps.roots.size())) throw std::invalid_argument("no such root");
  };
  for (const auto* rails : {&this->starts, &this->kept_pointers})
    for (int rail : *rails) heaps.check(rail, 1);
  for (const auto& [rail, after] : pointers) {
    heaps.check(rail, 1);
    if (after < 0 || after > 2) throw std::invalid_argument("a pointer variable after a call is something else");
    this->pointers.emplace_back(rail, after == 0 ? After::callee : after == 1 ? After::caller : After::gone);
  }
  for (const auto& [rail, of_callee] : this->nullary) {
    heaps.check(rail, 0);
    if (of_callee < 0 || of_callee > 1) throw std::invalid_argument("a value is that of the callee, or the caller's");
  }
  for (int number : this->kept_roots) check_root(number);
  is_shared.resize(heaps.roots.size());
  for (int number : shared_roots) {
    check_root(number);
    is_shared[static_cast<std::size_t>(number)] = true;
  }
  for (const auto* rails : {&this->forgotten, &this->gone})
    for (int rail : *rails) heaps.check_vector(rail & ~1);
  for (const Pairs* pairs : {&this->given, &this->results, &this->result_values})
    for (const auto& [target, source] : *pairs) {
      heaps.check_vector(target);
      heaps.check(source, heaps.signature.arity(target));
    }
  for (const auto& [reaches, cells] : parameters) {
    for (const Pairs* pairs : {&reaches, &cells})
      for (const auto& [name, known] : *pairs) {
        heaps.check(name, pairs == &reaches ? 1 : 0);
        if (known >= 0) heaps.check(known, heaps.signature.arity(name));
      }
    this->parameters.push_back({reaches, cells});
  }
  for (const auto& [root, source, reaches, cells] : returned) {
    check_root(root);
    if (source >= 0) heaps.check(source, 1);
    const Root& own = heaps.roots[static_cast<std::size_t>(root)];
    if (reaches.size() != own.reaches.size() || cells.size() != own.cells.size())
      throw std::invalid_argument("a root that is returned has other predicates");
    for (int rail : reaches)
      if (rail >= 0) heaps.check(rail, 1);
    for (int rail : cells)
      if (rail >= 0) heaps.check(rail, 0);
    this->returned.push_back({root, source, reaches, cells});
  }
}

// Division -----------------------------------------------------------------------------------------------------------

namespace {

template <int W>
class Divider {
 public:
  using V = VectorOf<W>;

  Divider(const LocalHeaps& heaps, const Call& call, Draft<W>& draft, Worker<W>& worker)
      : heaps_(heaps), call_(call), editor_(heaps, draft, worker) {}

  // Leaves out edges that reachability predicates exclude; whether there were any.
  bool sharpen() {
    bool changes = false;
    for (const Group& group : heaps_.groups) {
      Matrix<W> excluded;
      if (!exclude(group, excluded)) continue;
      for (int edge : group.members) {
        Matrix<W>& may = editor_.may_of(edge);
        Matrix<W> possible;
        without(possible, may, excluded);
        either(possible, possible, editor_.must_of(edge));
        changes = changes || !same(possible, may);
        may = possible;
      }
    }
    return changes;
  }

  // The nodes that the callee may reach, and the nodes to mark; false if there are too many to mark.
  bool divide(Division& division) {
    V start = 0;
    for (int rail : call_.starts) start |= editor_.may(rail);
    std::vector<bool> followed;
    for (const Group& group : heaps_.groups) followed.push_back(group.followed);
    V local, rest;
    while (true) {
      local = closed(start, followed);
      rest = editor_.every() & ~local;
      const V held = held_nodes(local);
      bool more = false;
      for (std::size_t k = 0; k < followed.size(); ++k)
        if (!followed[k] && is_entwined(heaps_.groups[k], local, held)) doubtful_.push_back(k);
      for (std::size_t k : doubtful_) followed[k] = more = true;
      doubtful_.clear();
      if (!more) break;
    }
    V cutpoints = 0, borders = 0;
    for (int edge : heaps_.edges) {
      cutpoints |= editor_.image(rest, edge);
      borders |= editor_.image(local, edge);
    }
    for (int rail : call_.kept_pointers) cutpoints |= editor_.may(rail);
    division.local = VectorOf<kMostWidth>(local);
    return mark(division, cutpoints & local, borders & rest);
  }

 private:
  // The edges of a group that reachability predicates exclude; false if there are none.
  bool exclude(const Group& group, Matrix<W>& excluded) {
    const V every = editor_.every();
    const V single = group.sharing.empty() ? V{0} : every & ~editor_.may(group.sharing.back());
    bool any = false;
    const auto add = [&](V from, V to) {
      if (!any) zero(excluded);
      any = true;
      each_bit(from, [&](int u) { excluded.row[u] |= as_row<W>(to); });
    };
    for (const Guide& guide : group.guides) {
      if (guide.reach >= 0) {  // successors of a reachable node are reachable
        const Rails<W> reached = editor_.get(guide.reach);
        if (reached.must && reached.may != every) add(reached.must, every & ~reached.may);
      }
      if (guide.before_cuts >= 0) {  // so is its one predecessor, if it is not the first
        Rails<W> reached = editor_.get(guide.before_cuts);
        reached.must &= single & ~editor_.may(guide.root);
        if (reached.must && reached.may != every) add(every & ~reached.may, reached.must);
      }
    }
    return any;
  }

  V closed(V start, const std::vector<bool>& followed) const {
    V local = start, before;
    do {
      before = local;
      for (std::size_t k = 0; k < followed.size(); ++k)
        if (followed[k])
          for (int edge : heaps_.groups[k].members) local |= editor_.image(local, edge);
    } while (local != before);
    return local;
  }

  // The nodes that variables of the caller hold: they are not lost before the callee returns.
  V held_nodes(V local) const {
    V held = 0;
    for (int number : call_.kept_roots) {
      const Root& root = heaps_.roots[static_cast<std::size_t>(number)];
      const Rails<W> pointed = editor_.get(root.rail);
      if (pointed.may & local) continue;
      held |= pointed.must;
      for (const Reach& reach : root.reaches) held |= editor_.must(reach.rail);
    }
    return held & ~local;
  }

  bool is_entwined(const Group& group, V local, V held) const {
    const V rest = editor_.every() & ~local;
    V out = 0, back = 0;
    for (int edge : group.members) {
      out |= editor_.image(local, edge) & rest;
      back |= editor_.image(rest, edge) & local;
    }
    return out && (back || out & editor_.draft.v[kSm] || out & ~held);
  }

  bool mark(Division& division, V cutpoints, V borders) const {
    const V nodes = cutpoints | borders;
    if (bits_in(nodes) > static_cast<int>(heaps_.markers.size())) return false;
    if (nodes & (editor_.draft.v[kSm] | ~editor_.draft.v[kAc])) return false;
    int marker = 0;
    each_bit(nodes,
             [&](int u) { (has_bit(cutpoints, u) ? division.cutpoints : division.borders).push_back({u, marker++}); });
    return true;
  }

  const LocalHeaps& heaps_;
  const Call& call_;
  Editor<W> editor_;
  std::vector<std::size_t> doubtful_;
};

// Entry --------------------------------------------------------------------------------------------------------------

template <int W>
class Entry {
 public:
  using V = VectorOf<W>;

  // `source` is the caller's structure, `made` and `old` have the callee's nodes.
  Entry(const LocalHeaps& heaps, const Call& call, const Division& division, Draft<W>& source, Draft<W>& made,
        Draft<W>& old, const std::vector<int>& kept, Worker<W>& worker)
      : heaps_(heaps),
        call_(call),
        division_(division),
        source_(heaps, source, worker),
        editor_(heaps, made, worker),
        old_(heaps, old, worker),
        rest_(source.all() & ~narrow<W>(division.local)),
        kept_(kept) {
    for (std::size_t k = 0; k < kept.size(); ++k) place_[kept[k]] = static_cast<int>(k);
    for (const Marked& border : division.borders) borders_ |= bit<W>(place_[border.node]);
  }

  void run() {
    for (int rail : call_.forgotten) editor_.draft.v[heaps_.signature.slot(rail)] = 0;
    for (const auto& [parameter, argument] : call_.given) editor_.set(parameter, old_.get(argument));
    if (borders_) close_borders();
    for (const Call::Parameter& parameter : call_.parameters) same_reach(parameter);
    for (const Marked& marked : division_.cutpoints) set_marker(marked, false);
    for (const Marked& marked : division_.borders) set_marker(marked, true);
    if (heaps_.outer >= 0) set_outer();
    unshare();
    for (int name : heaps_.others) editor_.evaluate(name);
    for (const auto& [name, relation] : heaps_.same) {  // a block that pointed out of the part may look as it was
      const V doubtful = placed(source_.preimage(relation, rest_)) | borders_;
      Rails<W> value = editor_.get(name);
      value.must &= ~doubtful, value.may |= doubtful;
      editor_.set(name, value);
    }
  }

 private:
  bool several() const { return division_.borders.size() > 1; }

  // The callee's numbers of nodes of the caller; nodes that it does not get are left out.
  V placed(V nodes) const {
    V out = 0;
    for (std::size_t k = 0; k < kept_.size(); ++k)
      if (has_bit(nodes, kept_[k])) out |= bit<W>(static_cast<int>(k));
    return out;
  }

  // Opaque nodes have unknown cells: in the callee's structure they have no cells.
  void close_borders() {
    if (heaps_.opaque < 0) throw NeedsPython{};
    Rails<W> opaque = editor_.get(heaps_.opaque);
    opaque |= {borders_, borders_};
    editor_.set(heaps_.opaque, opaque);
    for (int name : heaps_.binary)
      each_bit(borders_, [&](int u) { editor_.must_of(name).row[u] = editor_.may_of(name).row[u] = 0; });
    for (std::size_t k = 0; k < heaps_.groups.size(); ++k) {
      const Group& group = heaps_.groups[k];
      for (const Reach& closure : group.closures)
        each_bit(borders_, [&](int u) { editor_.put(closure.rail, {true, true}, u, u); });
      for (int name : group.cut) {
        Rails<W> value = editor_.get(name);
        value.must &= ~borders_, value.may &= ~borders_;
        editor_.set(name, value);
      }
      blur_borders(static_cast<int>(k));
      for (int name : group.at_borders) editor_.evaluate_at(name, borders_);
    }
    for (int name : heaps_.odd) editor_.evaluate_at(name, borders_);
    V pointing = borders_;
    for (int edge : heaps_.edges) pointing |= editor_.preimage(edge, borders_);
    for (int name : heaps_.cancelling) editor_.evaluate_at(name, pointing);
  }

  // A path to an opaque node may have come through another, whose cells are gone.
  void blur_borders(int number) {
    for (const Reach& closure : heaps_.groups[static_cast<std::size_t>(number)].closures)
      for (const Marked& border : division_.borders) {
        const bool others = std::any_of(division_.borders.begin(), division_.borders.end(), [&](const Marked& other) {
          return other.node != border.node && source_.at(closure.rail, other.node, border.node).may;
        });
        if (!others) continue;
        const int node = place_[border.node];
        for (int start = 0; start < editor_.size(); ++start)
          if (start != node) editor_.put(closure.rail, {false, editor_.at(closure.rail, start, node).may}, start, node);
        for (std::size_t k = 0; k < heaps_.roots.size(); ++k)
          for (const Reach& reach : heaps_.roots[k].reaches)
            if (call_.is_shared[k] && heaps_.paths[reach.path].group == number)
              editor_.put(reach.rail, {false, editor_.at(reach.rail, node).may}, node);
      }
  }

  void same_reach(const Call::Parameter& parameter) {
    for (const auto& [name, known] : parameter.reaches) {
      if (known < 0) {
        editor_.evaluate(name);
        continue;
      }
      Rails<W> value = old_.get(known);
      if (several()) value.must &= ~borders_;
      editor_.set(name, value);
    }
    for (const auto& [name, known] : parameter.cells) {
      if (known < 0)
        editor_.evaluate(name);
      else
        editor_.set(name, old_.get(known));
    }
  }

  void set_marker(const Marked& marked, bool is_border) {
    const Root& marker = heaps_.markers[static_cast<std::size_t>(marked.marker)];
    const int node = place_[marked.node];
    const Rails<W> alone{bit<W>(node), bit<W>(node)};
    editor_.set(marker.rail, alone);
    for (const Reach& reach : marker.reaches) {
      if (is_border) {
        editor_.set(reach.rail, alone);
        continue;
      }
      std::optional<Rails<W>> value = from_node(heaps_, old_, heaps_.paths[reach.path], node);
      if (!value) value = editor_.by_definition(reach.rail);
      if (several()) value->must &= ~borders_;
      editor_.set(reach.rail, *value);
    }
    for (const Cell& cell : marker.cells) {
      const Rails<W> value = editor_.by_definition(cell.rail);
      if (value.must != value.may && cell.has >= 0) {
        const Truth has = editor_.at(cell.has, node);
        editor_.set(cell.rail, {V{has.must}, V{has.may}});
      } else {
        editor_.set(cell.rail, value);
      }
    }
  }

  void set_outer() {
    const Rails<W> heap = source_.get(heaps_.heap), freed = source_.get(heaps_.freed);
    const bool must = static_cast<bool>(heap.must & ~freed.may & rest_ & source_.draft.v[kAc]);
    const bool may = static_cast<bool>(heap.may & ~freed.must & rest_);
    Rails<W> outer = source_.get(heaps_.outer);
    outer |= {V{must}, V{may}};
    editor_.set(heaps_.outer, outer);
  }

  // A node that loses its edges from the rest may be unshared in the callee's part.
  void unshare() {
    for (const Group& group : heaps_.groups) {
      V pointed = 0;
      for (int member : group.members) pointed |= source_.image(rest_, member);
      const V nodes = placed(pointed);
      for (int name : group.sharing) editor_.evaluate_at(name, nodes & editor_.may(name));
      for (int name : group.crowding) {
        Rails<W> value = editor_.get(name);
        value.must &= ~nodes;
        editor_.set(name, value);
      }
    }
    for (const auto& [edge, name] : heaps_.held) editor_.evaluate_at(name, placed(source_.image(rest_, edge)));
  }

  const LocalHeaps& heaps_;
  const Call& call_;
  const Division& division_;
  Editor<W> source_, editor_, old_;
  V rest_, borders_ = 0;
  const std::vector<int>& kept_;
  int place_[W] = {};
};

}  // namespace

template <int W>
Entrance entrance(const LocalHeaps& heaps, const Call& call, const Rules& rules, const Record& structure, bool closed,
                  Worker<W>& worker) {
  worker.tick();
  const Signature& signature = heaps.signature;
  DraftRef<W> source = worker.pool.make();
  unpack(structure, *source);
  Divider<W> divider(heaps, call, *source, worker);
  auto division = std::make_shared<Division>();
  const bool changes = divider.sharpen();
  if (closed && !changes) {
    division->structure = RecordRef::share(structure);
  } else {
    std::copy(rules.all.begin(), rules.all.end(), source->dirty);
    if (sharpen(rules, *source, worker) >= 0) return {};
    division->structure = packed(signature, *source);
  }
  if (!divider.divide(*division)) return {nullptr, {}, true};
  std::vector<int> kept;
  VectorOf<W> nodes = narrow<W>(division->local);
  for (const Marked& border : division->borders) nodes |= bit<W>(border.node);
  each_bit(nodes, [&](int u) { kept.push_back(u); });
  DraftRef<W> made = worker.pool.copy(*source);
  if (static_cast<int>(kept.size()) < source->n) remove_nodes(*made, signature, source->all() & ~nodes);
  DraftRef<W> old = worker.pool.copy(*made);
  Entry<W>(heaps, call, *division, *source, *made, *old, kept, worker).run();
  return {division, packed(signature, *made), false};
}

#define X(W) \
  template Entrance entrance<W>(const LocalHeaps&, const Call&, const Rules&, const Record&, bool closed, Worker<W>&);
X(8) X(16) X(32) X(64) X(128) X(256) X(512)
#undef X

}  // namespace kleene
