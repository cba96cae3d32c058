"""The fixpoint engine: reached sets, exploration orders, limits, listeners, the independent check; knows no domain."""
