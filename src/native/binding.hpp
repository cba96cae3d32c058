// What the parts of the Python module share: structures, batches, rules and actions as objects of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <vector>

#include "batch.hpp"

namespace kleene {

namespace nb = nanobind;

using SignatureRef = std::shared_ptr<Signature>;

// Looks for signals, not more often than every few milliseconds; their handlers may raise.
class SignalLook {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(kBetween)) return;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals()) throw nb::python_error();
    last_ = std::chrono::steady_clock::now();
  }

 private:
  static constexpr int kBetween = 20;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A structure for Python. It keeps its signature alive.
struct Handle {
  SignatureRef signature;
  RecordRef record;
};

// Structures in order, not yet objects.
struct Batch {
  SignatureRef signature;
  std::vector<RecordRef> records;
  std::uint64_t replacements = ~std::uint64_t{0};  // of the store that gave it, before it was added
};

inline std::vector<RecordRef> records_of(const std::vector<const Handle*>& handles, const SignatureRef& signature) {
  std::vector<RecordRef> records;
  records.reserve(handles.size());
  for (const Handle* handle : handles) {
    if (!handle || handle->signature != signature) throw std::invalid_argument("a structure of another signature");
    records.push_back(handle->record);
  }
  return records;
}

// Runs f without the lock of Python; what stops it is what a signal handler raised.
template <class F>
auto unlocked(F&& f) {
  Watch watch{SignalLook()};
  nb::gil_scoped_release release;
  return f(watch);
}

struct PyRules {
  PyRules(SignatureRef given, int count, const std::vector<std::vector<int>>& readers,
          const std::vector<std::vector<int>>& writers, const std::vector<int>& equality_readers,
          const std::vector<int>& after_new, const std::vector<int>& after_removal)
      : signature(std::move(given)),
        rules(*signature, count, readers, writers, equality_readers, after_new, after_removal),
        crew(*signature, rules.words) {}
  SignatureRef signature;
  Rules rules;
  Crew crew;
};
using PyRulesRef = std::shared_ptr<PyRules>;

struct PyAction {
  PyRulesRef rules;
  Action action;
};

void bind_calls(nb::module_& m);

}  // namespace kleene
