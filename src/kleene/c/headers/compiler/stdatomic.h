/* C17, 7.17, for a program of one thread: an atomic object is one like others. */
#ifndef KLEENE_STDATOMIC_H
#define KLEENE_STDATOMIC_H
#include <stddef.h>
#include <stdint.h>
typedef enum {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;
typedef _Bool atomic_bool;
typedef char atomic_char;
typedef signed char atomic_schar;
typedef unsigned char atomic_uchar;
typedef short atomic_short;
typedef unsigned short atomic_ushort;
typedef int atomic_int;
typedef unsigned atomic_uint;
typedef long atomic_long;
typedef unsigned long atomic_ulong;
typedef long long atomic_llong;
typedef unsigned long long atomic_ullong;
typedef size_t atomic_size_t;
typedef ptrdiff_t atomic_ptrdiff_t;
typedef intptr_t atomic_intptr_t;
typedef uintptr_t atomic_uintptr_t;
typedef intmax_t atomic_intmax_t;
typedef uintmax_t atomic_uintmax_t;
typedef struct { _Bool set; } atomic_flag;
#define ATOMIC_FLAG_INIT { 0 }
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define atomic_init(object, value) ((void)(*(object) = (value)))
#define atomic_is_lock_free(object) ((void)(object), 1)
#define atomic_thread_fence(order) ((void)(order))
#define atomic_signal_fence(order) ((void)(order))
#define kill_dependency(value) (value)
#define atomic_load_explicit(object, order) __atomic_load_n(object, order)
#define atomic_load(object) __atomic_load_n(object, 5)
#define atomic_store_explicit(object, value, order) __atomic_store_n(object, value, order)
#define atomic_store(object, value) __atomic_store_n(object, value, 5)
#define atomic_exchange_explicit(object, value, order) __atomic_exchange_n(object, value, order)
#define atomic_exchange(object, value) __atomic_exchange_n(object, value, 5)
#define atomic_fetch_add_explicit(object, value, order) __atomic_fetch_add(object, value, order)
#define atomic_fetch_add(object, value) __atomic_fetch_add(object, value, 5)
#define atomic_fetch_sub_explicit(object, value, order) __atomic_fetch_sub(object, value, order)
#define atomic_fetch_sub(object, value) __atomic_fetch_sub(object, value, 5)
#define atomic_fetch_or_explicit(object, value, order) __atomic_fetch_or(object, value, order)
#define atomic_fetch_or(object, value) __atomic_fetch_or(object, value, 5)
#define atomic_fetch_and_explicit(object, value, order) __atomic_fetch_and(object, value, order)
#define atomic_fetch_and(object, value) __atomic_fetch_and(object, value, 5)
#define atomic_fetch_xor_explicit(object, value, order) __atomic_fetch_xor(object, value, order)
#define atomic_fetch_xor(object, value) __atomic_fetch_xor(object, value, 5)
#define atomic_compare_exchange_strong(object, expected, value) \
    __atomic_compare_exchange_n(object, expected, value, 0, 5, 5)
#define atomic_compare_exchange_weak(object, expected, value) \
    __atomic_compare_exchange_n(object, expected, value, 1, 5, 5)
#define atomic_compare_exchange_strong_explicit(object, expected, value, yes, no) \
    __atomic_compare_exchange_n(object, expected, value, 0, yes, no)
#define atomic_compare_exchange_weak_explicit(object, expected, value, yes, no) \
    __atomic_compare_exchange_n(object, expected, value, 1, yes, no)
#define atomic_flag_test_and_set(flag) __atomic_exchange_n(&(flag)->set, 1, 5)
#define atomic_flag_test_and_set_explicit(flag, order) __atomic_exchange_n(&(flag)->set, 1, order)
#define atomic_flag_clear(flag) ((void)((flag)->set = 0))
#define atomic_flag_clear_explicit(flag, order) ((void)((flag)->set = 0))
#endif
