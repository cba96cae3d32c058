// The Python module: programs, rules, actions and stores of the native machine. Arguments are checked by the classes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>

#include "binding.hpp"
#include "compile.hpp"
#include "convert.hpp"
#include "stores.hpp"
#include "team.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace kleene {

static_assert(std::endian::native == std::endian::little, "rows are read and written as little-endian numbers");

namespace {

// Rules --------------------------------------------------------------------------------------------------------------

Head head_named(const std::string& kind) {
  if (kind == "predicate") return Head::predicate;
  if (kind == "equal") return Head::equal;
  if (kind == "different") return Head::different;
  if (kind == "false") return Head::refute;
  throw std::invalid_argument("a rule cannot have this head");
}

void add_rules(PyRules& self, bool all_active,
               const std::vector<std::tuple<std::shared_ptr<Program>, std::string, int>>& given) {
  std::vector<Rule> rules;
  for (const auto& [program, kind, rail] : given) rules.push_back({program, head_named(kind), rail});
  self.rules.add(all_active, std::move(rules));
}

// The structure coerced, and -1; or what it was when a rule could not be satisfied, and the number of the rule.
nb::object coerce(PyRules& self, const Handle& handle, const std::vector<int>& dirty) {
  if (handle.signature != self.signature) throw std::invalid_argument("a structure of another signature");
  Words words(self.rules.words);
  for (int rule : dirty) {
    if (rule < 0 || rule >= self.rules.count) throw std::invalid_argument("there is no such rule");
    words[rule / 64] |= bit(rule % 64);
  }
  if (dirty.empty()) words = self.rules.all;
  RecordRef result;
  int breached = -1;
  std::unique_ptr<Workers> workers = self.crew.take();
  unlocked([&](Watch& watch) {
    workers->begin(watch, true, false);
    with_width(handle.record->n, [&]<int W>() {
      Worker<W>& worker = workers->of<W>(self.rules.demand);
      DraftRef<W> draft = worker.pool.make();
      unpack(*handle.record, *draft);
      std::copy(words.begin(), words.end(), draft->dirty);
      breached = sharpen(self.rules, *draft, worker);
      result = packed(*self.signature, *draft);
    });
  });
  self.crew.give(std::move(workers));
  return nb::make_tuple(Handle{self.signature, result}, breached);
}

// Programs -----------------------------------------------------------------------------------------------------------

nb::list run_program(const Program& program, const Handle& handle, const std::vector<int>& parameters) {
  if (static_cast<int>(parameters.size()) < program.parameters) throw std::invalid_argument("a parameter is missing");
  for (int u : parameters)
    if (u < 0 || u >= handle.record->n) throw std::invalid_argument("a parameter is no node of the structure");
  nb::list result;
  with_width(handle.record->n, [&]<int W>() {
    DraftPool<W> pool(*handle.signature, 0);
    DraftRef<W> draft = pool.make();
    unpack(*handle.record, *draft);
    Temporaries<W> temporaries;
    temporaries.reserve(program.temporaries);
    if (!run(program, *draft, parameters.data(), temporaries)) return;
    const int n = draft->n;
    for (const Operand& output : program.outputs) {
      std::vector<Row<W>> rows(1);
      const auto add = [&](const Matrix<W>& m) { rows.insert(rows.end() - 1, m.row, m.row + n); };
      if (output.arity < 2)
        rows[0] = as_row<W>(vector_at(output.place, *draft, temporaries));
      else if (output.arity == 2)
        add(matrix_at(output.place, *draft, temporaries));
      else
        std::for_each_n(tensor_at(output.place, *draft, temporaries), n, add);
      const auto* bytes = reinterpret_cast<const unsigned char*>(rows.data());
      result.append(integer_of(bytes, sizeof(Row<W>), output.arity, n));
    }
  });
  return result;
}

// Actions ------------------------------------------------------------------------------------------------------------

// A literal: must rail (-1: equality), properties, number of each argument's variable, place of each argument among
// the known variables (-1: not known), programs of the prefix (none for the first literal; all nodes active, and
// general).
using GivenLiteral = std::tuple<int, std::vector<std::string>, std::vector<int>, std::vector<int>,
                                std::vector<std::shared_ptr<Program>>>;

Literal literal_of(const GivenLiteral& given) {
  const auto& [must, properties, variables, known, prefix] = given;
  Literal literal;
  if (variables.size() > kMostArity || known.size() != variables.size())
    throw std::invalid_argument("a literal of a focus plan has too many arguments");
  literal.must = must;
  literal.arity = static_cast<int>(variables.size());
  for (const std::string& property : properties) {
    if (property == "unique") literal.unique = true;
    if (property == "function") literal.function = true;
    if (property == "invfunction") literal.inverse_function = true;
    if (property == "reflexive") literal.reflexive = true;
  }
  for (std::size_t k = 0; k < variables.size(); ++k) {
    literal.known[k] = known[k];
    for (std::size_t j = 0; j < variables.size(); ++j) literal.same_arguments[k][j] = variables[k] == variables[j];
  }
  literal.first = prefix.empty();
  if (!prefix.empty()) {
    if (prefix.size() > 2 || !prefix[0]) throw std::invalid_argument("a prefix has one or two programs");
    literal.prefix[1] = prefix[0];
    if (prefix.size() == 2) literal.prefix[0] = prefix[1];
  } else if (literal.knows_some()) {
    throw std::invalid_argument("the first literal of a focus plan knows no variable");
  }
  return literal;
}

StepOptions options_of(nb::dict given) {
  StepOptions options;
  const std::pair<const char*, bool*> names[] = {
      {"focus", &options.focus},
      {"coerce_before", &options.coerce_before},
      {"coerce_after", &options.coerce_after},
      {"closed_input", &options.closed_input},
      {"freeze", &options.freeze},
      {"coerce_during_focus", &options.coerce_during_focus},
      {"filter_during_focus", &options.filter_during_focus},
      {"early_precondition", &options.early_precondition},
      {"blur", &options.blur},
      {"overlapping", &options.focusing.overlapping},
      {"split_active", &options.focusing.split_active},
      {"skip_infinite", &options.focusing.skip_infinite},
      {"coerce_cases", &options.focusing.coerce_cases},
  };
  for (const auto& [name, place] : names) *place = nb::cast<bool>(given[name]);
  return options;
}

std::vector<OnlyIf> conditions_of(const std::vector<int>& given) {
  std::vector<OnlyIf> conditions;
  for (int only_if : given) conditions.push_back(only_if < 0 ? OnlyIf::any : only_if ? OnlyIf::one : OnlyIf::zero);
  return conditions;
}

void make_action(PyAction* self, PyRulesRef rules, nb::dict options, const std::vector<int>& naming,
                 const std::vector<int>& plain_naming, const std::vector<std::vector<std::vector<GivenLiteral>>>& plans,
                 bool has_precondition, int parameters, std::tuple<bool, bool, bool> universe,
                 const std::vector<int>& messages, const std::vector<int>& post_messages,
                 const std::vector<int>& updated) {
  std::vector<Plan> made;
  for (const auto& plan : plans) {
    made.emplace_back();
    for (const auto& conjunction : plan) {
      made.back().emplace_back();
      for (const GivenLiteral& literal : conjunction) made.back().back().push_back(literal_of(literal));
    }
  }
  const Signature& signature = *rules->signature;
  const auto [creates, clones, retains] = universe;
  const Rules& all = rules->rules;
  new (self) PyAction{std::move(rules),
                      Action(all, options_of(options), Naming(signature, naming), Naming(signature, plain_naming),
                             std::move(made), has_precondition, parameters, creates, clones, retains,
                             conditions_of(messages), conditions_of(post_messages), updated)};
}

void add_programs(PyAction& self, bool all_active, const std::vector<std::shared_ptr<Program>>& precondition,
                  const std::vector<std::shared_ptr<Program>>& parts) {
  if (parts.size() != 6) throw std::invalid_argument("an action has six parts besides its precondition");
  ActionPrograms programs;
  programs.precondition.assign(precondition.begin(), precondition.end());
  programs.messages = parts[0], programs.added = parts[1], programs.clone = parts[2];
  programs.update = parts[3], programs.retain = parts[4], programs.post_messages = parts[5];
  self.action.add(all_active, std::move(programs));
}

// The seconds of focus, coerce, precondition, update and blur, of all threads together.
nb::tuple seconds_of(const StageTimes& times) {
  const auto seconds = [&](Stage stage) { return static_cast<double>(times[static_cast<int>(stage)]) * 1e-9; };
  return nb::make_tuple(seconds(Stage::focus), seconds(Stage::coerce), seconds(Stage::precondition),
                        seconds(Stage::update), seconds(Stage::blur));
}

nb::list reports_of(const StepOutcome& outcome, const SignatureRef& signature) {
  nb::list found;
  for (const Report& report : outcome.reports)
    found.append(nb::make_tuple(report.post, report.message, report.definite, Handle{signature, report.structure}));
  return found;
}

nb::list unmet_of(const StepOutcome& outcome) {
  nb::list found;
  for (const Unmet& message : outcome.unmet) found.append(nb::make_tuple(message.post, message.message));
  return found;
}

nb::list unfinished_of(const BatchOutcome& made) {
  nb::list found;
  for (const auto& [number, general] : made.unfinished) found.append(nb::make_tuple(number, general));
  return found;
}

// What an action leads to from a batch: unfinished structures, results, reports, unmet messages, discarded (in all, in
// focus), the first contradictory structure, seconds of the stages.
nb::tuple post(PyAction& self, const Batch& batch, int threads, bool timed) {
  const SignatureRef& signature = self.rules->signature;
  if (batch.signature != signature) throw std::invalid_argument("structures of another signature");
  StageTimes times{};
  BatchOutcome made = unlocked([&](Watch& watch) {
    return step_all(self.action, batch.records, threads, self.rules->crew, watch, timed ? &times : nullptr);
  });
  StepOutcome& outcome = made.outcome;
  const auto rare = [](bool is_there, auto make) { return is_there ? nb::object(make()) : nb::none(); };
  return nb::make_tuple(
      rare(!made.unfinished.empty(), [&] { return unfinished_of(made); }), Batch{signature, std::move(outcome.results)},
      rare(!outcome.reports.empty(), [&] { return reports_of(outcome, signature); }),
      rare(!outcome.unmet.empty(), [&] { return unmet_of(outcome); }), outcome.discarded, outcome.discarded_in_focus,
      rare(bool(outcome.contradictory), [&] { return nb::cast(Handle{signature, outcome.contradictory}); }),
      rare(timed, [&] { return seconds_of(times); }));
}

// Stores -------------------------------------------------------------------------------------------------------------

struct PyStore {
  PyStore(SignatureRef given, std::unique_ptr<Store> made) : signature(std::move(given)), store(std::move(made)) {}
  PyStore(const SignatureRef& given, const std::string& join, const std::vector<int>& naming,
          const std::vector<int>& key, const std::vector<int>& pointing)
      : PyStore(given, make_store(join, *given, Naming(*given, naming), key, pointing)) {}
  SignatureRef signature;
  std::unique_ptr<Store> store;

  void check(const SignatureRef& other) const {
    if (other != signature) throw std::invalid_argument("a structure of another signature");
  }
};

Batch add_records(PyStore& self, const std::vector<RecordRef>& records, int threads) {
  const std::uint64_t before = self.store->replacements();
  return {self.signature, unlocked([&](Watch& watch) {
            Ticker ticker{watch};
            return self.store->add(records, threads, ticker);
          }),
          before};
}

// True only if every structure of a batch that the store gave is current.
bool is_current(const PyStore& self, const Batch& batch) {
  self.check(batch.signature);
  return batch.replacements == self.store->replacements();
}

// The records of batches in order; only those that are current, if so wanted. Threads may share what has to be asked.
Batch united(PyStore& self, const std::vector<const Batch*>& batches, bool only_current, int threads) {
  std::vector<const RecordRef*> records;
  std::vector<std::size_t> doubtful;  // their numbers
  for (const Batch* batch : batches) {
    if (!batch) throw std::invalid_argument("a batch is missing");
    const bool all = is_current(self, *batch) || !only_current;
    for (const RecordRef& record : batch->records) {
      if (!all) doubtful.push_back(records.size());
      records.push_back(&record);
    }
  }
  constexpr std::size_t together = 128;  // as in the stores
  const std::size_t parts = (doubtful.size() + together - 1) / together;
  const auto ask = [&](std::size_t part, Watch& watch, bool caller) {
    std::uint32_t ticks = 0;
    for (std::size_t k = part * together; k < std::min(doubtful.size(), (part + 1) * together); ++k) {
      watch.tick(ticks, caller);
      if (!self.store->current(**records[doubtful[k]])) records[doubtful[k]] = nullptr;
    }
  };
  if (parts)
    unlocked([&](Watch& watch) {
      Team::share(parts, std::min(threads, static_cast<int>(parts)), watch,
                  [&](std::size_t part, bool caller) { ask(part, watch, caller); });
    });
  Batch made{self.signature, {}};
  made.records.reserve(records.size());
  for (const RecordRef* record : records)
    if (record) made.records.push_back(*record);
  return made;
}

// Edges -------------------------------------------------------------------------------------------------------------

// What is done at an edge: nothing, since its results and messages are known; everything; only to see that there is no
// message; everything, and contradictory results are known; or what only Python can do.
enum EdgeCode { kSkip, kWhole, kDrop, kContradictory, kPython };

// The edges that leave a location, each with its action and what is done.
struct PyEdges {
  std::vector<std::shared_ptr<PyAction>> actions;
  std::vector<int> codes;

  explicit PyEdges(std::size_t count) : actions(count), codes(count, kPython) {}
  void set(std::size_t k, int code, std::shared_ptr<PyAction> action) {
    if (k >= codes.size() || code < kSkip || code > kPython || (!action && code != kSkip && code != kPython))
      throw std::invalid_argument("there is no such edge");
    actions[k] = std::move(action);
    codes[k] = code;
  }
};

// What a location's structures lead to, edge after edge from the first one, into the stores of the targets, up to the
// first edge that Python has to see. For each edge that was done, what is new at its target; then how many structures
// were discarded, and in focus.
nb::tuple advance(const PyEdges& self, std::size_t first, const Batch& batch, const std::vector<PyStore*>& stores,
                  int threads) {
  if (stores.size() != self.codes.size()) throw std::invalid_argument("a store is missing");
  for (std::size_t k = 0; k < stores.size(); ++k) {
    if (!stores[k]) throw std::invalid_argument("a store is missing");
    stores[k]->check(batch.signature);
    if (self.actions[k] && self.actions[k]->rules->signature != batch.signature)
      throw std::invalid_argument("an action on other structures");
  }
  std::vector<Batch> done;
  long discarded = 0, discarded_in_focus = 0;
  unlocked([&](Watch& watch) {
    for (std::size_t k = first; k < self.codes.size() && self.codes[k] != kPython; ++k) {
      Batch added{batch.signature, {}};
      if (self.codes[k] != kSkip) {
        const PyAction& action = *self.actions[k];
        BatchOutcome made = step_all(action.action, batch.records, threads, action.rules->crew, watch, nullptr);
        const StepOutcome& outcome = made.outcome;
        const bool contradicts = outcome.contradictory && self.codes[k] != kContradictory;
        if (!made.unfinished.empty() || !outcome.reports.empty() || !outcome.unmet.empty() || contradicts) break;
        discarded += outcome.discarded, discarded_in_focus += outcome.discarded_in_focus;
        if (self.codes[k] != kDrop && !outcome.results.empty()) {
          Store& store = *stores[k]->store;
          added.replacements = store.replacements();
          Ticker ticker{watch};
          added.records = store.add(outcome.results, threads, ticker);
        }
      }
      done.push_back(std::move(added));
    }
  });
  nb::list found;
  for (Batch& added : done) {
    if (added.records.empty())
      found.append(nb::none());
    else
      found.append(std::move(added));
  }
  return nb::make_tuple(found, discarded, discarded_in_focus);
}

Batch slice_of(const Batch& batch, std::size_t first, std::size_t last) {
  if (first > last || last > batch.records.size()) throw std::invalid_argument("there are not so many structures");
  return {batch.signature, {batch.records.begin() + first, batch.records.begin() + last}};
}

Handle handle_at(const Batch& batch, std::size_t k) {
  if (k >= batch.records.size()) throw nb::index_error();
  return {batch.signature, batch.records[k]};
}

nb::list handles_of(const Batch& batch) {
  nb::list made;
  for (const RecordRef& record : batch.records) made.append(Handle{batch.signature, record});
  return made;
}

nb::list operations() {
  nb::list names;
  for (const Operation& operation : kOperations) names.append(nb::str(operation.name.data(), operation.name.size()));
  return names;
}

}  // namespace

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // formulas, programs and structures live until the process ends
  m.doc() = "The native machine: structures as machine words, programs as bytecode (docs/concepts/native.md)";
  m.attr("MOST_NODES") = kMostNodes;
  m.attr("MOST_ARITY") = kMostArity;
  m.attr("MOST_PREDICATES") = Signature::kMostPredicates;
  m.attr("MOST_PARAMETERS") = kMostParameters;
  m.attr("TEMPORARY") = static_cast<int>(kTemporary);
  m.attr("OPERATIONS") = nb::tuple(operations());
  nb::exception<TooManyNodes>(m, "TooManyNodes", PyExc_ValueError);
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const NeedsGeneral&) {
      PyErr_SetString(PyExc_LookupError, "programs for structures with maybe-active nodes are needed");
    } catch (const Interrupted&) {
      PyErr_SetString(PyExc_KeyboardInterrupt, "");
    }
  });

  nb::class_<Signature>(m, "Signature").def(nb::init<std::vector<int>>(), nb::arg("arities"));

  nb::class_<Handle>(m, "Handle")
      .def("__init__",
           [](Handle* self, SignatureRef signature, int size, nb::sequence rails) {
             RecordRef record = record_of(*signature, size, rails);
             new (self) Handle{std::move(signature), std::move(record)};
           })
      .def_prop_ro("size", [](const Handle& self) { return static_cast<int>(self.record->n); })
      .def("rails", [](const Handle& self) { return rails_of(*self.record); })
      .def("same_as", [](const Handle& self, const Handle& other) { return self.record->equals(*other.record); })
      .def("precedes",
           [](const Handle& self, const Handle& other) {
             if (self.signature != other.signature) throw std::invalid_argument("a structure of another signature");
             return !other.record->before(*self.record);
           })
      .def_prop_ro("bytes", [](const Handle& self) { return sizeof(Record) + self.record->bytes; });

  nb::class_<Columns>(m, "Columns")
      .def("__init__",
           [](Columns* self, const std::vector<std::tuple<int, int, std::string>>& given) {
             std::vector<Column> columns;
             for (const auto& [place, arity, start] : given) columns.push_back({2 * place, arity, start});
             new (self) Columns(std::move(columns));
           })
      .def("tvs", [](const Columns& self, const Handle& structure,
                     const std::string& indent) { return self.tvs(*structure.record, indent); })
      .def("json", [](const Columns& self, const Handle& structure) { return self.json(*structure.record); });

  nb::class_<Batch>(m, "Batch")
      .def("__init__",
           [](Batch* self, SignatureRef signature, const std::vector<const Handle*>& handles) {
             std::vector<RecordRef> records = records_of(handles, signature);
             new (self) Batch{std::move(signature), std::move(records)};
           })
      .def("__len__", [](const Batch& self) { return self.records.size(); })
      .def("slice", &slice_of)
      .def("handle", &handle_at)
      .def("handles", &handles_of);

  nb::class_<Program>(m, "Program")
      .def("__init__",
           [](Program* self, SignatureRef signature, nb::bytes code, const std::vector<int>& rails,
              const std::vector<std::pair<int, int>>& outputs) {
             std::vector<std::uint16_t> words(code.size() / 2);
             if (!words.empty()) std::memcpy(words.data(), code.c_str(), 2 * words.size());
             new (self) Program(*signature, words, rails, outputs);
           })
      .def("run", &run_program, nb::arg("structure"), nb::arg("parameters") = std::vector<int>());

  nb::class_<PyRules>(m, "Rules")
      .def(nb::init<SignatureRef, int, const std::vector<std::vector<int>>&, const std::vector<std::vector<int>>&,
                    const std::vector<int>&, const std::vector<int>&, const std::vector<int>&>())
      .def("add", &add_rules)
      .def("has", [](const PyRules& self, bool all_active) { return self.rules.has(all_active); })
      .def("coerce", &coerce);

  nb::class_<PyAction>(m, "Action")
      .def("__init__", &make_action)
      .def("add", &add_programs)
      .def("has", [](const PyAction& self, bool all_active) { return self.action.has(all_active); })
      .def("post", &post, nb::arg("structures"), nb::arg("threads"), nb::arg("timed") = false);

  nb::class_<PyStore>(m, "Store")
      .def(nb::init<const SignatureRef&, const std::string&, const std::vector<int>&, const std::vector<int>&,
                    const std::vector<int>&>(),
           nb::arg("signature"), nb::arg("join"), nb::arg("naming"), nb::arg("key"),
           nb::arg("pointing") = std::vector<int>())
      .def(
          "add",
          [](PyStore& self, const Batch& batch, int threads) {
            self.check(batch.signature);
            return add_records(self, batch.records, threads);
          },
          nb::arg("batch"), nb::arg("threads") = 1)
      .def("covers",
           [](PyStore& self, const Handle& handle) {
             self.check(handle.signature);
             return unlocked([&](Watch& watch) {
               Ticker ticker{watch};
               return self.store->covers(*handle.record, ticker);
             });
           })
      .def("current",
           [](PyStore& self, const Handle& handle) {
             self.check(handle.signature);
             return self.store->current(*handle.record);
           })
      .def("empty", [](const PyStore& self) { return PyStore(self.signature, self.store->another()); })
      .def("is_current", &is_current)
      .def("united", &united, nb::arg("batches"), nb::arg("only_current"), nb::arg("threads") = 1)
      .def("elements", [](const PyStore& self) { return Batch{self.signature, self.store->elements()}; })
      .def("clear", [](PyStore& self) { self.store->clear(); })
      .def("__len__", [](const PyStore& self) { return self.store->size(); });

  nb::class_<PyEdges>(m, "Edges")
      .def(nb::init<std::size_t>())
      .def("set", &PyEdges::set, nb::arg("edge"), nb::arg("code"), nb::arg("action").none())
      .def("advance", &advance);

  bind_compiler(m);
  bind_calls(m);
}

}  // namespace kleene
