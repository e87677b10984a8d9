"""Features that a plan includes, apart from its limits."""

from typing import Final

from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS, Feature

_NAMES: Final[dict[Feature, str]] = {
    "storage": "storage destinations",
    "pdfa": "PDF/A",
    "pdfua": "PDF/UA",
    "einvoices": "e-invoices",
    "email": "email delivery",
}


def require_feature(workspace: Workspace, feature: Feature, field: str) -> None:
    """Raise `plan_feature_unavailable` unless the plan includes the feature.

    `field` requests the feature: a JSON Pointer into the request, such as `/output/pdf/pdfa`.
    """
    if feature in workspace.plan.features:
        return
    first = next(plan.code for plan in PLANS.values() if feature in plan.features)
    code = "plan_feature_unavailable"
    message = (
        f"the plan {workspace.plan_code} does not include {_NAMES[feature]}; {first} and above do. "
        "Change the plan, or do without."
    )
    raise ServiceError(
        code, f"{field or 'The body'}: {message}", errors=[FieldError(field, code, message)]
    )
