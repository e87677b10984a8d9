"""Hypothesis settings of all tests."""

from hypothesis import HealthCheck, settings

# A busy machine generates inputs slowly; that is no fault of the test.
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same inputs in every run: a suite that turns red was turned red by the change.
settings.register_profile("same", settings.get_profile("random"), derandomize=True)
settings.load_profile("same")
