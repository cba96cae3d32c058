// The loop that interprets bytecode. Included by program.cpp once for each kind of processor, with the name of the
// function in KLEENE_INTERPRETER: every instruction jumps to the next one by itself, which processors foresee better
// than one jump for all, and a table of places to jump to belongs to one function.

template <int W>
bool KLEENE_INTERPRETER(const Program& program, const Draft<W>& draft, const int* parameters,
                        Temporaries<W>& temporaries, int first) {
#define X(name, result, a, b) &&do_##name,
#define G(name, result, a, b) &&guarded_##name,
  static const void* const places[kEnd + 1] = {KLEENE_OPERATIONS(X) KLEENE_PLAIN_OPERATIONS(G) && end};
#undef X
#undef G
  const int n = draft.n;
  const VectorOf<W>* sv = draft.v;
  VectorOf<W>* tv = temporaries.v;
  const Matrix<W>* sm = draft.m;
  Matrix<W>* tm = temporaries.m;
  const Instruction* at = program.code.data() + first;

#define i (*at)
#define JUMP goto* places[at->code]
#define NEXT \
  ++at;      \
  JUMP
// An operation, and the same operation with a guard after it.
#define VECTOR_CASE(name, value)           \
  do_##name : tv[i.target] = (value);      \
  NEXT;                                    \
  guarded_##name : tv[i.target] = (value); \
  if (!tv[i.target]) return false;         \
  NEXT;
#define MATRIX_CASE(name, ...)           \
  do_##name : __VA_ARGS__;               \
  NEXT;                                  \
  guarded_##name : __VA_ARGS__;          \
  if (!some(tm[i.target])) return false; \
  NEXT;

  JUMP;
  VECTOR_CASE(zero_v, 0)
  VECTOR_CASE(full_0, 1)
  VECTOR_CASE(full_v, full<W>(n))
  VECTOR_CASE(and_v, V(i.a) & V(i.b))
  VECTOR_CASE(or_v, V(i.a) | V(i.b))
  VECTOR_CASE(andnot_v, V(i.a) & ~V(i.b))
  VECTOR_CASE(complement_0, V(i.a) ^ 1)
  VECTOR_CASE(complement_v, full<W>(n) & ~V(i.a))
  VECTOR_CASE(spread_v, V(i.a) ? full<W>(n) : 0)
  VECTOR_CASE(some_v, V(i.a) != 0)
  VECTOR_CASE(node, bit<W>(parameters[i.detail]))
  VECTOR_CASE(slice_v, V(i.a) >> parameters[i.detail] & 1)
  MATRIX_CASE(zero_m, zero(tm[i.target]))
  MATRIX_CASE(full_m, full(tm[i.target], n))
  MATRIX_CASE(and_m, both(tm[i.target], M(i.a), M(i.b)))
  MATRIX_CASE(or_m, either(tm[i.target], M(i.a), M(i.b)))
  MATRIX_CASE(andnot_m, without(tm[i.target], M(i.a), M(i.b)))
  MATRIX_CASE(complement_m, complement(tm[i.target], M(i.a), n))
  MATRIX_CASE(clip_m, clip(tm[i.target], M(i.a), n))
  MATRIX_CASE(spread_m, full(tm[i.target], V(i.a) ? n : 0))
  VECTOR_CASE(some_m, some(M(i.a)))
  MATRIX_CASE(rows, rows(tm[i.target], V(i.a)))
  MATRIX_CASE(cols, cols(tm[i.target], V(i.a)))
  MATRIX_CASE(identity, identity(tm[i.target], n))
  MATRIX_CASE(on_diagonal, on_diagonal(tm[i.target], V(i.a)))
  VECTOR_CASE(diagonal, diagonal(M(i.a)))
  MATRIX_CASE(transpose, transpose(tm[i.target], M(i.a)))
  VECTOR_CASE(any_row, any_row(M(i.a)))
  VECTOR_CASE(any_column, any_column(M(i.a)))
  VECTOR_CASE(image, image(V(i.a), M(i.b)))
  VECTOR_CASE(preimage, preimage(M(i.a), V(i.b)))
  MATRIX_CASE(product, product(tm[i.target], M(i.a), M(i.b), n))
  MATRIX_CASE(closure_m, closure(tm[i.target], M(i.a), V(i.b)))
  MATRIX_CASE(closure_all_m, closure(tm[i.target], M(i.a), full<W>(n)))
  VECTOR_CASE(slice_row, M(i.a).row[parameters[i.detail]])
  VECTOR_CASE(slice_column, column(M(i.a), parameters[i.detail]))
do_guard_v:
  if (!V(i.a)) return false;
  NEXT;
do_guard_m:
  if (!some(M(i.a))) return false;
  NEXT;
#define X(name, result, a, b) do_##name:
  KLEENE_TENSOR_OPERATIONS(X)
#undef X
  if (!run_tensor(i, draft, parameters, temporaries)) return false;
  NEXT;
end:
  return true;
}

#undef i
#undef JUMP
#undef NEXT
#undef VECTOR_CASE
#undef MATRIX_CASE
#undef KLEENE_INTERPRETER
