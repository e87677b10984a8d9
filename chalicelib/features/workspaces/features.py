"""What a plan includes beside its limits."""

from typing import Final

from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS, Feature

_NAMES: Final[dict[Feature, str]] = {
    "storage": "Storage destinations",
    "pdfa": "PDF/A",
    "pdfua": "PDF/UA",
    "einvoices": "E-invoices",
    "email": "Email delivery",
}


def require_feature(workspace: Workspace, feature: Feature, field: str) -> None:
    """Raise `plan_feature_unavailable`, naming the field that asks for it, unless it is included.

    `field` is a JSON Pointer into the request, such as `/output/pdf/pdfa`.
    """
    if feature in workspace.plan.features:
        return
    first = next(plan.code for plan in PLANS.values() if feature in plan.features)
    raise ServiceError(
        "plan_feature_unavailable",
        f"{field}: {_NAMES[feature]} come with the plan {first} and above; this workspace has "
        f"{workspace.plan_code}. Leave the field out or change the plan.",
    )
