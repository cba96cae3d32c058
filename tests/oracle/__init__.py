"""An independent, deliberately naive semantics, and the property tests that compare the engine with it."""
