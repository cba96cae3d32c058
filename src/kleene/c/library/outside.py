"""Functions of the outside world by name: those that change nothing in the program's memory, and those not modelled."""

from __future__ import annotations

from kleene.cfa.types import PointerType, RecordType, Type

BUILTIN = "__kleene_builtin_"
"""How the names of our bodies of the compiler's functions begin."""
UNKNOWN_NUMBERS = frozenset(
    [
        "access",
        "alarm",
        "arc4random",
        "arc4random_uniform",
        "bind",
        "chdir",
        "chmod",
        "chown",
        "clock",
        "close",
        "connect",
        "creat",
        "difftime",
        "dlclose",
        "dup",
        "dup2",
        "fchmod",
        "fchown",
        "fcntl",
        "fdatasync",
        "feof",
        "ferror",
        "fileno",
        "flock",
        "fpurge",
        "fseek",
        "fsync",
        "ftell",
        "ftruncate",
        "getegid",
        "geteuid",
        "getgid",
        "getpagesize",
        "getpgrp",
        "getpid",
        "getppid",
        "getpriority",
        "getuid",
        "isatty",
        "kill",
        "killpg",
        "lchown",
        "link",
        "listen",
        "lockf",
        "lrand48",
        "lseek",
        "madvise",
        "mkdir",
        "mkfifo",
        "mlock",
        "mprotect",
        "msync",
        "munlock",
        "nice",
        "open",
        "pause",
        "prctl",
        "pthread_cancel",
        "pthread_detach",
        "pthread_equal",
        "pthread_kill",
        "pthread_self",
        "pthread_setname_np",
        "raise",
        "rand",
        "random",
        "remove",
        "rename",
        "rmdir",
        "sched_setscheduler",
        "sched_yield",
        "setgid",
        "setpgid",
        "setpriority",
        "setsid",
        "setsockopt",
        "setuid",
        "shutdown",
        "socket",
        "symlink",
        "sysconf",
        "tcsetattr",
        "truncate",
        "umask",
        "ungetc",
        "unlink",
        "utime",
    ]
)
"""Functions that change nothing in the memory of the program, and whose result is any number."""
TEXTS_READ = frozenset(
    [
        "access",
        "chdir",
        "chmod",
        "chown",
        "creat",
        "lchown",
        "link",
        "mkdir",
        "mkfifo",
        "open",
        "remove",
        "rename",
        "rmdir",
        "symlink",
        "truncate",
        "unlink",
        "utime",
    ]
)
"""Those of them that read their texts, names of files, to the end."""
IGNORED = frozenset(
    [
        "__VERIFIER_atomic_begin",
        "__VERIFIER_atomic_end",
        "__builtin_prefetch",
        "__sync_synchronize",
        "clearerr",
        "closelog",
        "fflush",
        "fputc",
        "openlog",
        "putc",
        "putc_unlocked",
        "putchar_unlocked",
        "rewind",
        "setbuf",
        "setlinebuf",
        "setlogmask",
        "setvbuf",
        "sleep",
        "srand",
        "srand48",
        "srandom",
        "sync",
        "usleep",
    ]
)
"""Functions that do nothing that the program can see."""
_JUMPS = "only calls of it by name are followed"
_THREADS = "threads are not followed; check what each of them does alone"
NOT_MODELLED = {
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp"), _JUMPS),
    **dict.fromkeys(("pthread_create", "thrd_create", "fork", "vfork", "clone"), _THREADS),
    **dict.fromkeys(("on_exit", "at_quick_exit"), "functions that run at the exit are not followed"),
    "__kleene_many_keys": "more keys of values of a thread are made than are followed",
    "__kleene_many_handlers": "more functions are registered to run at the exit than are followed",
    "__kleene_late_handler": "a function is registered to run at the exit while others do",
    **dict.fromkeys(("signal", "sigaction", "bsd_signal"), "handlers of signals are not followed"),
}
"""Functions that no model describes, and why."""

STANDARD = frozenset(("stdin", "stdout", "stderr"))
STANDARD_STREAMS = "__kleene_standard_streams"
"""The function of our library that a program needs which uses these variables as values."""
STREAMS = {"struct kleene_file": "FILE", "struct kleene_folder": "DIR"}
"""The records of our headers, each with the name that programs have for it."""


def is_our_stream(type_: Type) -> bool:
    """Whether a pointer leads to a stream or a folder as our headers declare them; of others nothing is known."""
    target = type_.target if isinstance(type_, PointerType) else None
    return isinstance(target, RecordType) and target.name in STREAMS
