"""Codes about who may: keys, workspaces, plans, signed links."""

from typing import Final

from chalicelib.core.problems.row import Problem

ACCESS: Final = (
    Problem(
        "authentication_required",
        401,
        "API key is missing",
        "The request carries no API key.",
        "Send `Authorization: Bearer <key>` or `X-API-Key: <key>`.",
    ),
    Problem(
        "invalid_api_key",
        401,
        "API key is not valid",
        "The key is unknown, mistyped or cut off, or two different keys were sent.",
        "Copy the whole key again; if it is lost, create a new one.",
    ),
    Problem(
        "api_key_expired",
        401,
        "API key has expired",
        "The key's expiry date has passed.",
        "Create a new key, or one without an expiry date.",
    ),
    Problem(
        "api_key_revoked",
        401,
        "API key was revoked",
        "The key was revoked, or it was rolled and its grace period is over.",
        "Use the key that replaced it.",
    ),
    Problem(
        "render_limit_reached",
        402,
        "No renders left",
        "The plan's renders of this cycle are used and no more can be bought automatically. "
        "Test keys go on working.",
        "Buy a pack, raise the monthly top-up limit, change the plan, or wait for the next cycle.",
    ),
    Problem(
        "plan_feature_unavailable",
        402,
        "Not part of the plan",
        "The request uses a feature that the workspace's plan does not include.",
        "Leave the feature out or move to a plan that has it.",
    ),
    Problem(
        "free_workspace_limit",
        402,
        "Two free workspaces already",
        "One person can own two free workspaces; deleted ones count for 30 days.",
        "Use one of them, or put one on a paid plan.",
    ),
    Problem(
        "insufficient_scope",
        403,
        "Key lacks the scope",
        "The key is valid but was not given the scope that this address needs.",
        "Use a key with the scope that the detail names.",
    ),
    Problem(
        "ip_not_allowed",
        403,
        "Address is not allowed",
        "The request comes from an address outside the key's or the workspace's list of allowed "
        "networks.",
        "Call from an allowed network or extend the list.",
    ),
    Problem(
        "test_key_required",
        403,
        "Needs a test key",
        "`test: true` was sent with a live key.",
        "Use a test key for test renders, or leave `test` out.",
    ),
    Problem(
        "template_not_allowed_for_key",
        403,
        "Key may not use this template",
        "The key is limited to certain templates and this is none of them.",
        "Use another key, or add the template to the key's list.",
    ),
    Problem(
        "email_not_verified",
        403,
        "Owner's email is not verified",
        "Live documents need a workspace whose owner has confirmed the email address.",
        "Confirm the address with the link in the welcome mail; test keys work meanwhile.",
    ),
    Problem(
        "region_not_enabled",
        403,
        "Region is not enabled",
        "The workspace may not render in the region of this host.",
        "Use the host of a region that the account lists under `regions`.",
    ),
    Problem(
        "feature_not_enabled",
        403,
        "Feature is switched off",
        "This feature is not enabled for the workspace.",
        "Have it enabled, or move to a plan that includes it.",
    ),
    Problem(
        "workspace_suspended",
        403,
        "Workspace is suspended",
        "The workspace was suspended; its keys are refused for the time being.",
        "Contact support to learn why and what to do.",
    ),
    Problem(
        "workspace_deletion_scheduled",
        403,
        "Workspace is about to be deleted",
        "The workspace is scheduled for deletion and its keys are refused.",
        "Cancel the deletion, or use another workspace.",
    ),
    Problem(
        "invalid_signature",
        403,
        "Signature does not match",
        "The signed address was changed, or its signature is missing.",
        "Use the address exactly as it was given, or have it made anew.",
    ),
    Problem(
        "referrer_not_allowed",
        403,
        "Page may not embed this link",
        "The page that embeds the link is not on the link's list, or the browser did not name it.",
        "Add the page's origin to `allowed_referrers`, or let the page send a referrer.",
    ),
    Problem(
        "link_expired",
        410,
        "Link has expired",
        "The signed address or its link is past its time.",
        "Have a new address signed, or extend the link's `expires_at`.",
    ),
)
