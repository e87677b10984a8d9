"""Features by plan."""

import pytest

from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.entitlements import require_feature
from chalicelib.features.workspaces.plans import Feature
from tests.fakes.api_services import FakeApiServices


@pytest.mark.parametrize("feature", ["storage", "pdfa", "pdfua", "einvoices", "email"])
@pytest.mark.parametrize("plan", ["free", "starter", "growth", "pro", "scale"])
def test_feature_depends_on_the_plan(plan: str, feature: Feature) -> None:
    workspace = FakeApiServices().workspace(plan_code=plan)
    has_it = plan not in {"free", "starter"} or (plan == "starter" and feature == "storage")

    if has_it:
        require_feature(workspace, feature, "/output")
        return
    with pytest.raises(ServiceError, match=f"^/output: the plan {plan} ") as refused:
        require_feature(workspace, feature, "/output")
    (error,) = refused.value.errors
    assert (error.path, error.code) == ("/output", "plan_feature_unavailable")
    assert refused.value.code == error.code
