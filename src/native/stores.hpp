// What a location keeps: one store for each kind of join (the twin of domains/shape/stores.py).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "canonical.hpp"
#include "embedding.hpp"
#include "record.hpp"

namespace kleene {

// A hash table of records; what is equal is said by the one who asks.
class Table {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    RecordRef record;
  };

  // The entry with this hash that `equal` accepts, or null. It is valid until the next insertion.
  template <class Equal>
  Entry* find(std::uint64_t hash, Equal&& equal) {
    if (entries_.empty()) return nullptr;
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      Entry& entry = entries_[at];
      if (!entry.record) return nullptr;
      if (entry.hash == hash && equal(*entry.record)) return &entry;
    }
  }
  void insert(std::uint64_t hash, RecordRef record);
  void clear() { entries_.clear(), size_ = 0, mask_ = 0; }
  std::size_t size() const { return size_; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void put(std::uint64_t hash, RecordRef record);
  std::vector<Entry> entries_;
  std::size_t size_ = 0, mask_ = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  // Another store of the same kind, without structures: programs have thousands of them, one for each location.
  virtual std::unique_ptr<Store> another() const = 0;
  // Joins structures in; the result are those, new or grown, that have to be propagated. Threads may share a large
  // batch.
  virtual std::vector<RecordRef> add(const std::vector<RecordRef>& structures, int threads, Ticker& ticker) = 0;
  // True only if everything that the structure represents is represented here.
  virtual bool covers(const Record& structure, Ticker& ticker) = 0;
  // False if a join has replaced the structure by a larger one since it was added.
  virtual bool current(const Record& structure) = 0;
  // How often that may have happened; while it is the same, what was current stays so.
  std::uint64_t replacements() const { return replacements_.load(std::memory_order_relaxed); }
  virtual std::vector<RecordRef> elements() const = 0;
  virtual void clear() = 0;
  virtual std::size_t size() const = 0;

 protected:
  void count_replacement() { replacements_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> replacements_{0};
};

// `key` are the rails (of arity 0 and 1) that structures must share to be joined, for `part`, `part_embedding`, `ind`;
// for `pointed`, on the nodes of the rails `pointing`.
std::unique_ptr<Store> make_store(const std::string& join, const Signature& signature, Naming naming,
                                  const std::vector<int>& key, const std::vector<int>& pointing);

}  // namespace kleene
