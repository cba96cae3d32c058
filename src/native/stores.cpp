#include "stores.hpp"

#include <algorithm>
#include <array>

#include "join.hpp"
#include "team.hpp"

namespace kleene {

void Table::insert(std::uint64_t hash, RecordRef record) {
  constexpr std::size_t kSmallest = 4;  // most stores have a few structures, in several shards
  if (2 * (size_ + 1) > entries_.size()) {
    std::vector<Entry> old(std::max(kSmallest, 2 * entries_.size()));
    old.swap(entries_);
    mask_ = entries_.size() - 1;
    for (Entry& entry : old)
      if (entry.record) put(entry.hash, std::move(entry.record));
  }
  put(hash, std::move(record));
  ++size_;
}

void Table::put(std::uint64_t hash, RecordRef record) {
  std::size_t at = hash & mask_;
  while (entries_[at].record) at = (at + 1) & mask_;
  entries_[at] = {hash, std::move(record)};
}

namespace {

std::vector<RecordRef> sorted(std::vector<RecordRef> records) {
  std::sort(records.begin(), records.end(),
            [](const RecordRef& a, const RecordRef& b) { return a.get() != b.get() && a->before(*b); });
  return records;
}

// Reads the vectors of a record whose rows have a known type.
template <class Row>
auto rows(const Record& record) {
  return [at = record.payload()](int slot) {
    Row row;
    std::memcpy(&row, at + static_cast<std::size_t>(slot) * sizeof(Row), sizeof(Row));
    return row;
  };
}

// The values that structures must share to be joined, and the number of nodes where that counts too. Where it counts,
// values of narrow structures are compared as the words of the record that they are in, under a mask.
class Key {
 public:
  Key(const Signature& signature, const std::vector<int>& rails, bool with_size) : with_size_(with_size) {
    for (int rail : rails) {
      signature.check_rail(rail);
      if (signature.arity(rail) > (with_size ? 1 : 0))
        throw std::invalid_argument("a key is made of nullary predicates, and of unary ones where the size counts");
      slots_.push_back(signature.slot(rail));
    }
    if (!with_size || slots_.empty()) return;
    const auto most = static_cast<std::size_t>(*std::max_element(slots_.begin(), slots_.end()));
    for (std::size_t k = 0; k < masks_.size(); ++k) {
      const std::size_t row = std::size_t{1} << k;
      masks_[k].resize((row * (most + 1) + 7) / 8);
      for (int slot : slots_) {
        const std::size_t at = row * static_cast<std::size_t>(slot);
        masks_[k][at / 8] |= full(static_cast<int>(8 * row)) << 8 * (at % 8);
      }
    }
  }
  // Structures of different widths never meet where the size counts.
  std::uint64_t hash(const Record& record) const {
    std::uint64_t sum = with_size_ ? record.n : 0;
    if (const Words* mask = mask_of(record)) {
      for (std::size_t k = 0; k < mask->size(); ++k) sum = mixed(sum, record.word(k) & (*mask)[k]);
      return sum;
    }
    for (int slot : slots_) {
      if (!with_size_)
        sum = mixed(sum, record.nullary(slot));
      else
        each_word(record, slot, [&](std::size_t k) { sum = mixed(sum, record.word(k)); });
    }
    return sum;
  }
  bool equal(const Record& a, const Record& b) const {
    if (with_size_ && a.n != b.n) return false;
    if (const Words* mask = mask_of(a)) {
      for (std::size_t k = 0; k < mask->size(); ++k)
        if ((a.word(k) ^ b.word(k)) & (*mask)[k]) return false;
      return true;
    }
    return std::all_of(slots_.begin(), slots_.end(), [&](int slot) {
      if (!with_size_) return a.nullary(slot) == b.nullary(slot);
      bool same = true;
      each_word(a, slot, [&](std::size_t k) { same = same && a.word(k) == b.word(k); });
      return same;
    });
  }

 private:
  // Null if values are whole words, or are compared apart from those of other predicates.
  const Words* mask_of(const Record& record) const {
    return with_size_ && record.row_bytes < 8 ? &masks_[std::countr_zero(record.row_bytes)] : nullptr;
  }
  template <class F>
  static void each_word(const Record& record, int slot, F&& f) {
    const std::size_t words = record.row_bytes / 8u;
    for (std::size_t k = 0; k < words; ++k) f(static_cast<std::size_t>(slot) * words + k);
  }

  bool with_size_;
  std::vector<int> slots_;
  std::array<Words, 3> masks_;  // for rows of 1, 2 and 4 bytes
};

// For `pointed`: the values of nullary predicates, and the names of the nodes that a pointer may point to. Canonical
// structures have their nodes in the order of the names.
class PointedKey {
 public:
  PointedKey(const Signature& signature, const std::vector<int>& rails, const std::vector<int>& pointing) {
    Key(signature, rails, true), Key(signature, pointing, true);  // check them
    for (int rail : rails) (signature.arity(rail) ? named_.slots : nullary_).push_back(signature.slot(rail));
    for (int rail : pointing) {
      if (!signature.arity(rail)) throw std::invalid_argument("a pointer is a unary predicate");
      pointing_.push_back(signature.slot(rail));
    }
  }
  std::uint64_t hash(const Record& record) const {
    return with_row(record, [&](auto like) {
      const Pointed<decltype(like)> pointed(*this, record);
      std::uint64_t sum = 0, nullary = 0;
      each_bit(pointed.nodes, [&](int u) {
        for (int k = 0; k < named_.words(); ++k) sum = mixed(sum, pointed.names.word(u, k));
      });
      for (std::size_t k = 0; k < nullary_.size(); ++k) {
        nullary = nullary << 1 | (record.nullary(nullary_[k]) != 0);
        if (k % 64 == 63) sum = mixed(sum, std::exchange(nullary, 0));
      }
      return mixed(sum, nullary);
    });
  }
  bool equal(const Record& a, const Record& b) const {
    const auto same_nullary = [&](int slot) { return a.nullary(slot) == b.nullary(slot); };
    if (!std::all_of(nullary_.begin(), nullary_.end(), same_nullary)) return false;
    return with_row(a, [&](auto like_a) {
      return with_row(b, [&](auto like_b) {
        const Pointed<decltype(like_a)> left(*this, a);
        const Pointed<decltype(like_b)> right(*this, b);
        if (bits_in(left.nodes) != bits_in(right.nodes)) return false;
        auto others = right.nodes;
        bool same = true;
        each_bit(left.nodes, [&](int u) {
          same = same && Names::compare(left.names, u, right.names, lowest(others)) == 0;
          others &= others - 1;
        });
        return same;
      });
    });
  }

 private:
  // The nodes that a pointer may point to, and their names.
  template <class Row>
  struct Pointed {
    using V = VectorLike<Row>;
    Pointed(const PointedKey& key, const Record& record)
        : nodes(nodes_of(key, record)),
          names(key.named_, record.n, [&, read = rows<Row>(record)](int slot) { return nodes & V{read(slot)}; }) {}
    static V nodes_of(const PointedKey& key, const Record& record) {
      V all = 0;
      for (int slot : key.pointing_) all |= V{rows<Row>(record)(slot)};
      return all;
    }
    V nodes;
    Names names;
  };

  Naming named_;
  std::vector<int> nullary_, pointing_;
};

// Stores whose structures meet only if they have the same hash. Each shard has a table of its own, and the threads that
// share a batch take whole shards: within a shard the order is that of the batch, so the result does not depend on
// them.
class TableStore : public Store {
 public:
  std::vector<RecordRef> add(const std::vector<RecordRef>& structures, int threads, Ticker& ticker) override {
    std::vector<RecordRef> changed(structures.size());
    if (threads < 2 || structures.size() < kFewestToShare) {
      for (std::size_t k = 0; k < structures.size(); ++k) {
        ticker.tick(structures[k]->n);
        const std::uint64_t own = hash(*structures[k]);
        changed[k] = join(shard(own), own, structures[k]);
      }
    } else {
      add_shared(structures, threads, ticker.watch, changed);
    }
    std::erase_if(changed, [](const RecordRef& record) { return !record; });
    return changed;
  }
  std::vector<RecordRef> elements() const override {
    std::vector<RecordRef> found;
    for (const Table& table : tables_)
      for (const Table::Entry& entry : table.entries())
        if (entry.record) found.push_back(entry.record);
    return sorted(std::move(found));
  }
  void clear() override {
    for (Table& table : tables_) table.clear();
    count_replacement();
  }
  std::size_t size() const override {
    std::size_t sum = 0;
    for (const Table& table : tables_) sum += table.size();
    return sum;
  }

 protected:
  virtual std::uint64_t hash(const Record& structure) const = 0;
  // Joins a structure in; the one to propagate, or null.
  virtual RecordRef join(Table& table, std::uint64_t hash, const RecordRef& structure) = 0;

  Table& shard(std::uint64_t hash) { return tables_[hash >> kShardShift]; }
  bool embeds_in_some(const Record& structure, Ticker& ticker) const {
    for (const Table& table : tables_)
      for (const Table::Entry& entry : table.entries())
        if (entry.record && embeds(structure, *entry.record, ticker)) return true;
    return false;
  }

 private:
  void add_shared(const std::vector<RecordRef>& structures, int threads, Watch& watch,
                  std::vector<RecordRef>& changed) {
    const std::size_t count = structures.size(), parts = (count + kTogether - 1) / kTogether;
    std::vector<std::uint64_t> hashes(count);
    std::atomic<std::size_t> next{0}, done{0}, next_shard{0};
    Team::run(threads, watch, [&](bool caller) {
      std::size_t part;
      while (!watch.stopped() && (part = next.fetch_add(1)) < parts) {
        for (std::size_t k = part * kTogether; k < std::min(count, (part + 1) * kTogether); ++k)
          hashes[k] = hash(*structures[k]);
        done.fetch_add(1, std::memory_order_release);
      }
      while (done.load(std::memory_order_acquire) < parts) {  // another thread is at the last ones
        if (watch.stopped()) return;
        std::this_thread::yield();
      }
      Ticker own{watch, caller};
      while (!watch.stopped() && (part = next_shard.fetch_add(1)) < kShards)
        for (std::size_t k = 0; k < count; ++k) {
          if (hashes[k] >> kShardShift != part) continue;
          own.tick(structures[k]->n);
          changed[k] = join(tables_[part], hashes[k], structures[k]);
        }
    });
  }

  static constexpr int kShardShift = 61;
  static constexpr std::size_t kShards = std::size_t{1} << (64 - kShardShift);
  static constexpr std::size_t kTogether = 32;        // structures whose hashes a thread computes at once
  static constexpr std::size_t kFewestToShare = 128;  // waking a thread takes as long as adding some ten structures
  std::array<Table, kShards> tables_;
};

// `rel`: all structures, up to isomorphism (canonical structures are isomorphic iff they are equal).
class RelationalStore : public TableStore {
 public:
  std::unique_ptr<Store> another() const override { return std::make_unique<RelationalStore>(); }
  bool covers(const Record& structure, Ticker& ticker) override {
    return find(shard(structure.hash), structure) || embeds_in_some(structure, ticker);
  }
  bool current(const Record&) override { return true; }

 protected:
  std::uint64_t hash(const Record& structure) const override { return structure.hash; }
  RecordRef join(Table& table, std::uint64_t hash, const RecordRef& structure) override {
    if (find(table, *structure)) return {};
    table.insert(hash, structure);
    return structure;
  }

 private:
  static bool find(Table& table, const Record& structure) {
    return table.find(structure.hash, [&](const Record& other) { return other.equals(structure); }) != nullptr;
  }
};

// `part`, `ind` and `pointed`: at most one structure for each key; what has the same key is joined.
template <class KeyType>
class MergingStore : public TableStore {
 public:
  // What stores of one kind share.
  struct Form {
    KeyType key;
    bool partial;
    Naming naming;
  };
  explicit MergingStore(std::shared_ptr<const Form> form) : form_(std::move(form)) {}
  MergingStore(KeyType key, bool partial, Naming naming)
      : MergingStore(std::make_shared<const Form>(Form{std::move(key), partial, std::move(naming)})) {}
  std::unique_ptr<Store> another() const override { return std::make_unique<MergingStore>(form_); }

  bool covers(const Record& structure, Ticker& ticker) override {
    const std::uint64_t own = hash(structure);
    const Table::Entry* entry = find(shard(own), own, structure);
    if (entry && (entry->record->equals(structure) || embeds(structure, *entry->record, ticker))) return true;
    return embeds_in_some(structure, ticker);  // where a name is not definite, the key is another
  }
  bool current(const Record& structure) override {
    const std::uint64_t own = hash(structure);
    return shard(own).find(own, [&](const Record& other) { return &other == &structure; }) != nullptr;
  }

 protected:
  std::uint64_t hash(const Record& structure) const override { return form_->key.hash(structure); }
  RecordRef join(Table& table, std::uint64_t hash, const RecordRef& structure) override {
    Table::Entry* entry = find(table, hash, *structure);
    if (!entry) {
      table.insert(hash, structure);
      return structure;
    }
    if (entry->record->equals(*structure)) return {};
    RecordRef joined = form_->partial ? join_partial(entry->record, *structure)
                                      : join_independent(*entry->record, *structure, form_->naming);
    if (joined.get() == entry->record.get() || joined->equals(*entry->record)) return {};
    entry->record = joined;
    count_replacement();
    return joined;
  }

 private:
  Table::Entry* find(Table& table, std::uint64_t hash, const Record& structure) {
    return table.find(hash, [&](const Record& other) { return form_->key.equal(structure, other); });
  }
  std::shared_ptr<const Form> form_;
};

// Stores that compare structures one by one within groups.
template <class GroupKey>
class GroupedStore : public Store {
 public:
  std::vector<RecordRef> elements() const override {
    std::vector<RecordRef> found;
    for (const auto& [key, group] : groups_) found.insert(found.end(), group.begin(), group.end());
    return sorted(std::move(found));
  }
  void clear() override {
    groups_.clear();
    count_replacement();
  }
  std::size_t size() const override {
    std::size_t sum = 0;
    for (const auto& [key, group] : groups_) sum += group.size();
    return sum;
  }

 protected:
  const std::vector<RecordRef>* find(const GroupKey& key) const {
    const auto found = groups_.find(key);
    return found == groups_.end() ? nullptr : &found->second;
  }
  std::map<GroupKey, std::vector<RecordRef>> groups_;
};

using Numbers = std::vector<Vector>;

// `part_embedding`: structures with the same key are merged only if one embeds the other.
class EmbeddingStore : public GroupedStore<Numbers> {
 public:
  EmbeddingStore(const Signature& signature, const std::vector<int>& rails) {
    Key(signature, rails, true);  // checks them
    for (int rail : rails) slots_.push_back(signature.slot(rail));
  }
  explicit EmbeddingStore(std::vector<int> slots) : slots_(std::move(slots)) {}
  std::unique_ptr<Store> another() const override { return std::make_unique<EmbeddingStore>(slots_); }

  std::vector<RecordRef> add(const std::vector<RecordRef>& structures, int, Ticker& ticker) override {
    std::vector<RecordRef> added;
    for (const RecordRef& s : structures) {
      ticker.tick(s->n);
      std::vector<RecordRef>& group = groups_[key(*s)];
      if (std::any_of(group.begin(), group.end(), [&](const RecordRef& old) { return embeds(*s, *old, ticker); }))
        continue;
      if (std::erase_if(group, [&](const RecordRef& old) { return embeds(*old, *s, ticker); })) count_replacement();
      group.push_back(s);
      added.push_back(s);
    }
    return added;
  }
  bool covers(const Record& structure, Ticker& ticker) override {
    const auto in = [&](const std::vector<RecordRef>& group) {
      return std::any_of(group.begin(), group.end(), [&](const RecordRef& s) { return embeds(structure, *s, ticker); });
    };
    const std::vector<RecordRef>* group = find(key(structure));
    if (group && in(*group)) return true;
    return std::any_of(groups_.begin(), groups_.end(), [&](const auto& entry) { return in(entry.second); });
  }
  bool current(const Record& structure) override {
    const std::vector<RecordRef>* group = find(key(structure));
    return group &&
           std::any_of(group->begin(), group->end(), [&](const RecordRef& s) { return s.get() == &structure; });
  }

 private:
  Numbers key(const Record& structure) const {
    Numbers made{structure.n};
    for (int slot : slots_) {
      const auto value = structure.row<VectorOf<kMostWidth>>(slot);
      made.insert(made.end(), value.word, value.word + (structure.row_bytes + 7) / 8);
    }
    return made;
  }
  std::vector<int> slots_;
};

// `conc`: structures are not blurred; isomorphic ones are kept once.
class ConcreteStore : public GroupedStore<Numbers> {
 public:
  explicit ConcreteStore(Naming naming) : naming_(std::move(naming)) {}
  std::unique_ptr<Store> another() const override { return std::make_unique<ConcreteStore>(naming_); }

  std::vector<RecordRef> add(const std::vector<RecordRef>& structures, int, Ticker& ticker) override {
    std::vector<RecordRef> added;
    for (const RecordRef& s : structures) {
      ticker.tick(s->n);
      std::vector<RecordRef>& group = groups_[key(*s)];
      if (has(group, *s, ticker)) continue;
      group.push_back(s);
      added.push_back(s);
    }
    return added;
  }
  bool covers(const Record& structure, Ticker& ticker) override {
    const std::vector<RecordRef>* group = find(key(structure));
    return group && has(*group, structure, ticker);
  }
  bool current(const Record&) override { return true; }

 private:
  static bool has(const std::vector<RecordRef>& group, const Record& structure, Ticker& ticker) {
    return std::any_of(group.begin(), group.end(),
                       [&](const RecordRef& old) { return isomorphic(structure, *old, ticker); });
  }
  // Isomorphic structures agree on it: how many tuples each predicate has, and the sorted names of the nodes.
  Numbers key(const Record& structure) const {
    Numbers made{structure.n};
    const Signature& signature = *structure.signature;
    for (int rail = 0; rail < signature.rails(); ++rail) {
      const auto [at, count] = structure.rail(rail);
      Vector sum = 0;
      with_row(structure, [&](auto like) {
        for (std::size_t k = at; k < at + count; ++k) sum += bits_in(structure.row<VectorLike<decltype(like)>>(k));
      });
      made.push_back(sum);
    }
    const Names names(naming_, structure.n, [&](int slot) { return structure.row<VectorOf<kMostWidth>>(slot); });
    std::vector<int> order(structure.n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int u, int v) { return names.compare(u, v) < 0; });
    for (int u : order) names.append(u, made);
    return made;
  }
  Naming naming_;
};

}  // namespace

std::unique_ptr<Store> make_store(const std::string& join, const Signature& signature, Naming naming,
                                  const std::vector<int>& key, const std::vector<int>& pointing) {
  if (join == "rel") return std::make_unique<RelationalStore>();
  if (join == "part") return std::make_unique<MergingStore<Key>>(Key(signature, key, true), true, std::move(naming));
  if (join == "ind") return std::make_unique<MergingStore<Key>>(Key(signature, key, false), false, std::move(naming));
  if (join == "pointed")
    return std::make_unique<MergingStore<PointedKey>>(PointedKey(signature, key, pointing), false, std::move(naming));
  if (join == "part_embedding") return std::make_unique<EmbeddingStore>(signature, key);
  if (join == "conc") return std::make_unique<ConcreteStore>(std::move(naming));
  throw std::invalid_argument("there is no such join");
}

}  // namespace kleene
