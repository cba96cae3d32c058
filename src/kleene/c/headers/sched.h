int sched_yield(void);
