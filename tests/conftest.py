"""Hypothesis profiles: `ci` is the default and repeats exactly; `quick` does not shrink; `thorough` looks for new counterexamples."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

SLOW_INPUTS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=SLOW_INPUTS,
)
settings.register_profile("quick", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("thorough", deadline=None, max_examples=2000, suppress_health_check=SLOW_INPUTS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
