// After a call: the rest of the caller's structure and the last structure of the callee become one again (the twin of
// domains/shape/heap_join.py, which says what is done and why).
#include "edit.hpp"
#include "editor.hpp"

namespace kleene {

namespace {

template <int W>
class Join {
 public:
  using V = VectorOf<W>;

  Join(const LocalHeaps& heaps, const Call& call, const Division& division, Draft<W>& before, Draft<W>& end,
       Draft<W>& result, Worker<W>& worker)
      : heaps_(heaps),
        call_(call),
        division_(division),
        before_(heaps, before, worker),
        end_(heaps, end, worker),
        result_(heaps, result, worker),
        local_(narrow<W>(division.local)),
        rest_(before.all() & ~local_) {
    each_bit(rest_, [&](int u) { rest_place_[u] = rests_++; });
  }

  bool found_markers() {
    V images = 0;
    for (const auto* marked : {&division_.cutpoints, &division_.borders})
      for (const Marked& each : *marked) {
        const Rails<W> value = end_.get(heaps_.markers[static_cast<std::size_t>(each.marker)].rail);
        if (value.must != value.may || bits_in(value.must) != 1) return false;
        const int image = lowest(value.must);
        if (end_.summary(image) || !end_.exists(image) || has_bit(images, image)) return false;
        images |= bit<W>(image);
        image_[each.node] = image;
        if (marked == &division_.borders) opaque_ |= bit<W>(image);
      }
    for (const Group& group : heaps_.groups) {
      const bool leads_in = leads_into_callee(group);
      inward_.push_back(leads_in);
      if (leads_in && leads_out(group)) return false;
    }
    return true;
  }

  void run() {
    side_by_side();
    for (int name : heaps_.numbers)  // the callee may have written to opaque nodes, too
      for (const Marked& border : division_.borders)
        result_.put(name, end_.at(name, image_[border.node]), rest_place_[border.node]);
    variables();
    for (int name : heaps_.steps)
      for (const Marked& cut : division_.cutpoints)
        each_bit(rest_, [&](int u) { result_.put(name, before_.at(name, u, cut.node), rest_place_[u], placed(cut)); });
    for (int name : heaps_.recorded) remember(name);
    for (std::size_t k = 0; k < heaps_.groups.size(); ++k) {
      for (const Reach& closure : heaps_.groups[k].closures) close(k, closure);
      sharing(heaps_.groups[k]);
      crowding(heaps_.groups[k]);
    }
    for (const auto& [edge, name] : heaps_.held)
      result_.evaluate_at(name, (cut_places_ | border_places_) & ~result_.must(name));
    for (int rail : call_.gone) result_.draft.v[heaps_.signature.slot(rail)] = 0;
    for (const Call::Returned& returned : call_.returned) root(returned);
    cancellation();
    for (int name : heaps_.odd) result_.evaluate_at(name, border_places_);  // their cells the callee did not know
    for (int name : heaps_.others) result_.evaluate(name);
    same();
  }

 private:
  bool leads_into_callee(const Group& group) const {
    for (int edge : group.members)
      if (before_.image(rest_, edge) & local_) return true;
    return false;
  }

  bool leads_out(const Group& group) const {
    for (int edge : group.members)
      if (end_.preimage(edge, opaque_) & ~opaque_) return true;
    return false;
  }

  // Where a cutpoint is in the result.
  int placed(const Marked& cut) const { return place_[image_[cut.node]]; }

  // Both sides with their own values; edges of the callee to opaque nodes lead to those of the rest.
  void side_by_side() {
    Draft<W>& result = result_.draft;
    const Draft<W>& end = end_.draft;
    const Signature& signature = heaps_.signature;
    for (int slot = signature.unary(); slot < signature.count(Kind::vector); ++slot) result.v[slot] = 0;
    if (rests_ < result.n) remove_nodes(result, signature, local_);
    for (const Marked& border : division_.borders) place_[image_[border.node]] = rest_place_[border.node];
    int number = rests_;
    for (int u = 0; u < end.n; ++u)
      if (!has_bit(opaque_, u)) place_[u] = number++;
    add_nodes(result, number - rests_);
    for (const Marked& cut : division_.cutpoints) cut_places_ |= bit<W>(placed(cut));
    for (const Marked& border : division_.borders) border_places_ |= bit<W>(rest_place_[border.node]);
    for (int slot = 0; slot < signature.unary(); ++slot) result.v[slot] |= moved(end.v[slot] & ~opaque_);
    for (int slot = 0; slot < signature.count(Kind::matrix); ++slot) {
      if (!some(end.m[slot])) continue;
      for (int u = 0; u < end.n; ++u)
        if (!has_bit(opaque_, u)) result.m[slot].row[place_[u]] |= as_row<W>(moved(static_cast<V>(end.m[slot].row[u])));
    }
  }

  // Nodes of the callee as nodes of the result.
  V moved(V nodes) const {
    if (!opaque_) return rests_ < W ? nodes << rests_ : V{0};
    V out = 0;
    each_bit(nodes, [&](int u) { out |= bit<W>(place_[u]); });
    return out;
  }
  Rails<W> moved(const Rails<W>& value) const { return {moved(value.must), moved(value.may)}; }
  Rails<W> moved_own(const Rails<W>& value) const {
    return {moved(value.must & ~opaque_), moved(value.may & ~opaque_)};
  }

  // Nodes of the rest, before the call, as nodes of the result.
  V of_rest(V nodes) const {
    V out = 0;
    each_bit(nodes & rest_, [&](int u) { out |= bit<W>(rest_place_[u]); });
    return out;
  }
  Rails<W> of_rest(const Rails<W>& value) const { return {of_rest(value.must), of_rest(value.may)}; }

  V there() const { return full<W>(rests_); }

  // A relation of an earlier moment across the cut: known where the blocks of the callee are marked ones.
  void remember(int name) {
    V marked = 0;
    for (const Marked& cut : division_.cutpoints) marked |= bit<W>(cut.node);
    const bool inward = static_cast<bool>(before_.image(rest_, name) & local_ & ~marked);
    const bool outward = static_cast<bool>(before_.preimage(name, rest_) & local_ & ~marked);
    const V here = there(), others = result_.every() & ~here;
    Matrix<W>&must = result_.must_of(name), &may = result_.may_of(name);
    for (int u = 0; u < result_.size(); ++u) {
      const V across = u < rests_ ? others : here;
      V row = static_cast<V>(may.row[u]) & ~across;
      if (u < rests_ && inward) row |= across & ~cut_places_;
      if (u >= rests_ && outward && !has_bit(cut_places_, u)) row |= across;
      may.row[u] = as_row<W>(row);
      must.row[u] = as_row<W>(static_cast<V>(must.row[u]) & ~across);
    }
    for (const Marked& cut : division_.cutpoints)
      each_bit(rest_, [&](int u) {
        result_.put(name, before_.at(name, u, cut.node), rest_place_[u], placed(cut));
        result_.put(name, before_.at(name, cut.node, u), placed(cut), rest_place_[u]);
      });
  }

  // A member of the rest is as it was if it was so before; one of the callee's part if nothing pointed out.
  void same() {
    for (const auto& [name, relation] : heaps_.same) {
      const V here = there();
      Rails<W> value = of_rest(before_.get(name));
      const bool open = !division_.borders.empty() || before_.preimage(relation, rest_) & local_;
      if (open)
        value.may |= result_.every() & ~here;
      else {
        const Rails<W> kept = moved(end_.get(name));
        value |= {kept.must & ~here, kept.may & ~here};
      }
      result_.set(name, value);
    }
  }

  // Variables --------------------------------------------------------------------------------------------------------

  void variables() {
    for (const auto& [name, after] : call_.pointers) {
      if (after == After::callee)
        result_.set(name, moved(end_.get(name)));
      else
        result_.set(name, after == After::caller ? targets(before_.get(name)) : Rails<W>{});
    }
    for (const auto& [name, of_callee] : call_.nullary) result_.set(name, (of_callee ? end_ : before_).get(name));
    for (const auto& [target, source] : call_.results) result_.set(target, moved(end_.get(source)));
    for (const auto& [target, source] : call_.result_values) result_.set(target, end_.get(source));
  }

  // The targets of a pointer of the caller: in the rest, or cutpoints.
  Rails<W> targets(const Rails<W>& old) const {
    Rails<W> pointed = of_rest(old);
    for (const Marked& cut : division_.cutpoints) {
      const V place = bit<W>(placed(cut));
      pointed |= Rails<W>{place, place}.where(old.at(cut.node));
    }
    return pointed;
  }

  // Paths ------------------------------------------------------------------------------------------------------------

  // Whether no cutpoint reached another before the call: then paths to one came through the rest only.
  bool independent(const Group& group) const {
    if (division_.cutpoints.size() < 2) return true;
    if (group.closures.empty()) return false;
    const int whole = group.closures.back().rail;
    for (const Marked& a : division_.cutpoints)
      for (const Marked& b : division_.cutpoints)
        if (a.node != b.node && before_.at(whole, a.node, b.node).may) return false;
    return true;
  }

  // The nodes of the result that a cutpoint reaches now.
  Rails<W> beyond(const Path& path, const Marked& cut) const {
    const int known = heaps_.of_marker(path.role, static_cast<std::size_t>(cut.marker));
    const int image = image_[cut.node];
    if (known >= 0) return from_callee(path, end_.get(known));
    return from_callee(path, from_node(heaps_, end_, path, image).value_or(Rails<W>{bit<W>(image), end_.every()}));
  }

  // The nodes reached through the callee's nodes `reached`: these, and the nodes behind opaque nodes. `pointed` are
  // those that a variable points to itself.
  Rails<W> from_callee(const Path& path, const Rails<W>& reached, const Rails<W>& pointed = {}) const {
    Rails<W> result = moved_own(reached);
    const Rails<W>& ways = is_inward(path) ? pointed : reached;
    for (const Marked& border : division_.borders) {
      const Truth way = ways.at(image_[border.node]);
      if (way.may) result |= from_rest(path, border.node).where(way);
    }
    return result;
  }

  // The nodes of the result that a node of the rest reaches.
  Rails<W> from_rest(const Path& path, int border) const {
    const Rails<W> value = from_node(heaps_, before_, path, border).value_or(Rails<W>{bit<W>(border), before_.every()});
    Rails<W> result = of_rest(value);
    result |= into_callee(path, value);
    return result;
  }

  bool is_inward(const Path& path) const { return inward_[static_cast<std::size_t>(path.group)]; }

  // The callee's nodes reached by paths through the nodes `before`, which were reached before the call.
  Rails<W> into_callee(const Path& path, const Rails<W>& before, const Rails<W>& direct = {}) const {
    Rails<W> result;
    const Group& group = heaps_.groups[static_cast<std::size_t>(path.group)];
    const bool leads_in = is_inward(path), alone = leads_in && independent(group);
    const int step = path.whole ? group.name : group.step;
    for (const Marked& cut : division_.cutpoints) {
      Truth way;
      if (alone) {
        way = before.at(cut.node);
      } else {
        way = direct.at(cut.node);
        if (leads_in)
          each_bit(rest_, [&](int u) { way = way | before_.perhaps(u, before.at(u) & before_.at(step, u, cut.node)); });
      }
      if (way.may) result |= beyond(path, cut).where(way);
    }
    return result;
  }

  void close(std::size_t number, const Reach& closure) {
    const Path& path = heaps_.paths[static_cast<std::size_t>(closure.path)];
    Matrix<W>&must = result_.must_of(closure.rail), &may = result_.may_of(closure.rail);
    const auto add = [&](int k, const Rails<W>& row) {
      must.row[k] |= as_row<W>(row.must);
      may.row[k] |= as_row<W>(row.may);
    };
    if (inward_[number]) {
      each_bit(rest_, [&](int u) { add(rest_place_[u], into_callee(path, before_.row(closure.rail, u))); });
      return;
    }
    for (const Marked& border : division_.borders) {
      std::optional<Rails<W>> behind;
      for (int u = 0; u < end_.size(); ++u) {
        if (has_bit(opaque_, u)) continue;
        const Truth way = end_.at(closure.rail, u, image_[border.node]);
        if (!way.may) continue;
        if (!behind) behind = from_rest(path, border.node);
        add(place_[u], behind->where(way));
      }
    }
  }

  // Cutpoints and borders have edges from both sides.
  void sharing(const Group& group) {
    for (int name : group.sharing) {
      for (const Marked& cut : division_.cutpoints) {
        const int image = image_[cut.node], k = placed(cut);
        const Truth inside = end_.at(name, image);
        if (inside.must) continue;
        if (before_.at(name, cut.node).may || inside.may)
          result_.evaluate_at(name, bit<W>(k));
        else  // at most one edge from each side
          result_.put(name, from_both(group, cut), k);
      }
      result_.evaluate_at(name, border_places_);
    }
  }

  Truth outside(const Group& group, const Marked& cut) const { return before_.has_edge(group.name, rest_, cut.node); }
  Truth inside(const Group& group, const Marked& cut) const {
    return end_.has_edge(group.name, end_.every(), image_[cut.node]);
  }
  Truth from_both(const Group& group, const Marked& cut) const { return outside(group, cut) & inside(group, cut); }

  // Whether three edges lead to a cutpoint or border, from both sides together.
  void crowding(const Group& group) {
    const std::vector<int> heap{heaps_.heap};
    for (int name : group.crowding) {
      for (const Marked& cut : division_.cutpoints) {
        const int image = image_[cut.node];
        Truth value = end_.at(name, image);
        if (outside(group, cut).may) {
          if (!inside(group, cut).may) {
            value = {false, before_.at(name, cut.node).may};
          } else {
            value.may = false;
            for (int shared : group.sharing.empty() ? heap : group.sharing)
              value.may = value.may || before_.at(shared, cut.node).may || end_.at(shared, image).may;
          }
        }
        result_.put(name, value, placed(cut));
      }
      each_bit(border_places_, [&](int k) { result_.put(name, {false, true}, k); });
    }
  }

  // Reachability from variables --------------------------------------------------------------------------------------

  void root(const Call::Returned& returned) {
    const Root& own = heaps_.roots[static_cast<std::size_t>(returned.root)];
    const bool is_old = returned.source < 0;
    const Rails<W> pointed = is_old ? before_.get(own.rail) : end_.get(returned.source);
    for (std::size_t k = 0; k < own.reaches.size(); ++k) {
      const int name = own.reaches[k].rail, known = returned.reaches[k];
      const Path& path = heaps_.paths[static_cast<std::size_t>(own.reaches[k].path)];
      if (pointed.nothing())
        result_.set(name, {});
      else if (is_old)
        result_.set(name, reachability(path, before_.get(name), pointed));
      else if (known >= 0)
        result_.set(name, from_callee(path, end_.get(known), pointed));
      else
        result_.evaluate(name);
    }
    for (std::size_t k = 0; k < own.cells.size(); ++k) not_null(own.cells[k], returned.cells[k], is_old, pointed);
  }

  Rails<W> reachability(const Path& path, const Rails<W>& before, const Rails<W>& pointed) const {
    Rails<W> value = of_rest(before);
    if (pointed.may & local_) {  // then it reaches the rest through the callee's part, if at all
      value.must = 0;
      if (!(pointed.may & rest_)) value.may = 0;
    }
    value |= into_callee(path, before, pointed);
    return value;
  }

  void not_null(const Cell& cell, int known, bool is_old, const Rails<W>& pointed) {
    const int name = cell.rail;
    if (pointed.nothing()) return result_.set(name, {});
    if (!is_old) {
      if (known >= 0 && !(pointed.may & opaque_)) return result_.set(name, end_.get(known));
      return result_.evaluate(name);
    }
    if (!(pointed.may & local_)) return result_.set(name, before_.get(name));
    for (const Marked& cut : division_.cutpoints) {
      const V node = bit<W>(cut.node);
      if (pointed.must != node || pointed.may != node) continue;
      const int of_cut = heaps_.of_marker(cell.role, static_cast<std::size_t>(cut.marker));
      if (of_cut >= 0) return result_.set(name, end_.get(of_cut));
    }
    result_.evaluate(name);
  }

  // Recompute cancellation at the nodes with edges between the sides.
  void cancellation() {
    const V here = there();
    V asked = border_places_;
    for (int edge : heaps_.edges) {
      asked |= result_.preimage(edge, cut_places_) & here;
      asked |= result_.preimage(edge, border_places_) & ~here;
    }
    for (int name : heaps_.cancelling) result_.evaluate_at(name, asked & result_.every());
  }

  const LocalHeaps& heaps_;
  const Call& call_;
  const Division& division_;
  Editor<W> before_, end_, result_;
  V local_, rest_;
  V opaque_ = 0;                          // the callee's nodes for borders
  V cut_places_ = 0, border_places_ = 0;  // of the result
  int rests_ = 0;                         // nodes of the rest; they come first
  int rest_place_[W] = {};                // of nodes before the call
  int image_[W] = {};                     // the callee's nodes for cutpoints and borders
  int place_[W] = {};                     // of the callee's nodes in the result
  std::vector<bool> inward_;              // groups with edges from the rest to the callee's part
};

}  // namespace

template <int W>
RecordRef joined(const LocalHeaps& heaps, const Call& call, const Division& division, const Record& end,
                 Worker<W>& worker) {
  worker.tick();
  DraftRef<W> before = worker.pool.make(), callee = worker.pool.make();
  unpack(*division.structure, *before);
  unpack(end, *callee);
  DraftRef<W> result = worker.pool.copy(*before);
  Join<W> join(heaps, call, division, *before, *callee, *result, worker);
  if (!join.found_markers()) return {};
  join.run();
  return packed(heaps.signature, *result);
}

#define X(W) template RecordRef joined<W>(const LocalHeaps&, const Call&, const Division&, const Record&, Worker<W>&);
X(8) X(16) X(32) X(64) X(128) X(256) X(512)
#undef X

}  // namespace kleene
