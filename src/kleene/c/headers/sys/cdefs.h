#ifndef KLEENE_SYS_CDEFS_H
#define KLEENE_SYS_CDEFS_H
#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW
#define __CONCAT(a, b) a##b
#define __STRING(a) #a
#define __P(parameters) parameters
#define __unused __attribute__((unused))
#define __predict_true(condition) (condition)
#define __predict_false(condition) (condition)
#endif
