"""What every test stands on."""

from hypothesis import HealthCheck, settings

# How fast a busy machine makes inputs says nothing about them.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
