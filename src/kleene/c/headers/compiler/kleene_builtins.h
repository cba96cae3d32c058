/* Atomic operations of the compiler, as in a program of one thread; read before every file. A weak exchange may fail. */
#define __kleene_update(object, operator, value) \
    ({ \
        __auto_type __kleene_object = (object); \
        __auto_type __kleene_old = *__kleene_object; \
        *__kleene_object = __kleene_old operator(value); \
        __kleene_old; \
    })
#define __kleene_updated(object, operator, value) \
    ({ \
        __auto_type __kleene_object = (object); \
        *__kleene_object = *__kleene_object operator(value); \
        *__kleene_object; \
    })
#define __atomic_load_n(object, order) ((void)(order), *(object))
#define __atomic_load(object, result, order) ((void)(order), (void)(*(result) = *(object)))
#define __atomic_store_n(object, value, order) ((void)(order), (void)(*(object) = (value)))
#define __atomic_store(object, value, order) ((void)(order), (void)(*(object) = *(value)))
#define __atomic_exchange_n(object, value, order) \
    ({ \
        __auto_type __kleene_object = (object); \
        __auto_type __kleene_old = *__kleene_object; \
        (void)(order); \
        *__kleene_object = (value); \
        __kleene_old; \
    })
#define __atomic_fetch_add(object, value, order) __kleene_update(object, +, value)
#define __atomic_fetch_sub(object, value, order) __kleene_update(object, -, value)
#define __atomic_fetch_or(object, value, order) __kleene_update(object, |, value)
#define __atomic_fetch_and(object, value, order) __kleene_update(object, &, value)
#define __atomic_fetch_xor(object, value, order) __kleene_update(object, ^, value)
#define __atomic_add_fetch(object, value, order) __kleene_updated(object, +, value)
#define __atomic_sub_fetch(object, value, order) __kleene_updated(object, -, value)
#define __atomic_or_fetch(object, value, order) __kleene_updated(object, |, value)
#define __atomic_and_fetch(object, value, order) __kleene_updated(object, &, value)
#define __atomic_xor_fetch(object, value, order) __kleene_updated(object, ^, value)
extern _Bool __VERIFIER_nondet_weak_exchange(void);
#define __atomic_compare_exchange_n(object, expected, value, weak, yes, no) \
    ({ \
        __auto_type __kleene_object = (object); \
        __auto_type __kleene_expected = (expected); \
        _Bool __kleene_same = *__kleene_object == *__kleene_expected && !((weak) && __VERIFIER_nondet_weak_exchange()); \
        if (__kleene_same) \
            *__kleene_object = (value); \
        else \
            *__kleene_expected = *__kleene_object; \
        __kleene_same; \
    })
#define __atomic_thread_fence(order) ((void)(order))
#define __atomic_signal_fence(order) ((void)(order))
#define __atomic_clear(object, order) ((void)(*(object) = 0))
#define __atomic_test_and_set(object, order) __atomic_exchange_n(object, 1, order)
