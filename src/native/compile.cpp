#include "compile.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "rule_programs.hpp"

namespace kleene {

namespace {

// Bytecode that is not bound to a vocabulary yet. `names` are the predicates of its rails; without any, its rails are
// those of the vocabulary that it was made for.
struct Code {
  std::vector<std::uint16_t> words;
  std::vector<std::pair<int, int>> outputs;
  std::vector<Name> names;
};

Code code_of(Bytecode made, const Places& places) {
  return {std::move(made.words), std::move(made.outputs), places.own()};
}

Program program_of(const Code& code, const Signature& signature, nb::dict places) {
  std::vector<int> rails;
  for (Name name : code.names) {
    const int rail = 2 * nb::cast<int>(nb::object(places[Formulas::all().text(name)]));
    rails.push_back(rail);
    rails.push_back(rail + 1);
  }
  return Program(signature, code.words, rails, code.outputs);
}

// Each formula with the wanted rail and axes is an output.
Code compile_formulas(nb::sequence formulas, nb::sequence parameters, bool all_active) {
  Formulas& all = Formulas::all();
  Places places{nb::none()};
  Builder builder(places, all_active, all.names_of(parameters));
  Bytecode code(builder.graph);
  for (nb::handle item : formulas) {
    const Rail rail = nb::cast<int>(nb::object(item[1])) == 0 ? kMust : kMay;
    const Formula& formula = all.of(nb::object(item[0]));
    code.output(builder.tensor(formula, rail, all.names_of(nb::object(item[2]))));
  }
  return code_of(std::move(code), places);
}

// For which values of the known variables the literals of a focus plan are true.
Code compile_prefix(nb::dict given, nb::sequence formulas, nb::sequence others, nb::sequence known, bool all_active) {
  Formulas& all = Formulas::all();
  Places places{given};
  Builder builder(places, all_active, {});
  Tensors tensors;
  for (nb::handle formula : formulas) tensors.push_back(builder.build(all.of(formula), kMust));
  const Tensor wanted = builder.eliminate(all.names_of(others), tensors, kMay);
  Bytecode code(builder.graph);
  code.output(builder.graph.clip(builder.align(wanted, all.names_of(known))));
  return code_of(std::move(code), places);
}

// The rails that the body of a rule reads, whether it reads equality, and its code; None if it is not supported.
nb::tuple compile_rule(nb::dict given, nb::sequence parts, nb::sequence hidden, bool has_predicate, int rail,
                       nb::sequence args, bool all_active) {
  Formulas& all = Formulas::all();
  RuleText text{{}, all.names_of(hidden), has_predicate, rail, all.names_of(args)};
  for (nb::handle part : parts) text.parts.push_back(&all.of(part));
  Places places{given};
  Builder builder(places, all_active, {});
  RuleProgram program(text, builder);
  nb::object code = nb::none();
  try {
    code = nb::cast(code_of(program.code(), places));
  } catch (const Unsupported&) {
  }
  return nb::make_tuple(program.reads, program.reads_equality, code);
}

}  // namespace

void bind_compiler(nb::module_& m) {
  nb::exception<Unsupported>(m, "Unsupported", PyExc_ValueError);
  nb::class_<Code>(m, "Code")
      .def("bind", [](const Code& self, std::shared_ptr<Signature> signature,
                      nb::dict places) { return std::make_shared<Program>(program_of(self, *signature, places)); })
      .def_prop_ro("words", [](const Code& self) { return self.words; })
      .def_prop_ro("outputs", [](const Code& self) { return self.outputs; })
      .def_prop_ro("names", [](const Code& self) {
        nb::list names;
        for (Name name : self.names) names.append(Formulas::all().text(name));
        return names;
      });
  m.def("learn_formulas", [](nb::dict classes) { Formulas::all().learn(classes); });
  m.def("compile_formulas", &compile_formulas);
  m.def("compile_prefix", &compile_prefix);
  m.def("compile_rule", &compile_rule);
}

}  // namespace kleene
