"""Hypothesis settings of all tests."""

from hypothesis import HealthCheck, settings

# A busy machine generates inputs slowly; that is no fault of the test.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
