"""The plan of an own server: the limits of the largest plan, and nothing to pay or use up."""

from chalicelib.features.workspaces.plans import PLANS

PLAN = PLANS["self_hosted"]


def test_limits_and_features_are_those_of_scale() -> None:
    different = {
        name for name, value in PLANS["scale"]._asdict().items() if getattr(PLAN, name) != value
    }

    prices = {"price_cents", "pack_renders", "pack_cents"}
    # A form of Gotenberg's routes may have 100 MB (decision 84).
    assert different == {"code", "included_renders", "max_assets_mb", *prices}
    assert all(getattr(PLAN, name) == 0 for name in prices)


def test_allowance_is_never_used_up() -> None:
    a_century_at_the_limit = PLAN.rate_limit_rps * 3_600 * 24 * 366 * 100

    assert PLAN.included_renders > a_century_at_the_limit
    # Numbers of JSON are exact up to here.
    assert PLAN.included_renders < 2**53
