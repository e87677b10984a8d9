"""Blueprints of the API, and the table of all their endpoints."""

from typing import Final

from chalicelib.api import (
    account,
    einvoices,
    engines,
    files,
    meta,
    pdf_tools,
    signed_links,
    site,
    storage_destinations,
    uploads,
)
from chalicelib.api.batches import batches
from chalicelib.api.edge.endpoint import endpoints_of
from chalicelib.api.emails import (
    email_connections,
    email_previews,
    email_rules,
    email_sends,
    provider_events,
)
from chalicelib.api.gotenberg import conversions
from chalicelib.api.render import conveniences, renders
from chalicelib.api.template import comparisons, datasets, template_versions, templates
from chalicelib.api.webhooks import webhook_deliveries, webhook_endpoints

# In the order of tags and operations in the OpenAPI document and the reference page.
BLUEPRINTS: Final = (
    renders.blueprint,
    uploads.blueprint,
    conveniences.blueprint,
    batches.blueprint,
    einvoices.blueprint,
    pdf_tools.blueprint,
    templates.blueprint,
    template_versions.blueprint,
    comparisons.blueprint,
    datasets.blueprint,
    storage_destinations.blueprint,
    email_connections.blueprint,
    email_previews.blueprint,
    email_rules.blueprint,
    email_sends.blueprint,
    provider_events.blueprint,
    signed_links.blueprint,
    webhook_endpoints.blueprint,
    webhook_deliveries.blueprint,
    engines.blueprint,
    files.blueprint,
    conversions.blueprint,
    account.blueprint,
    meta.blueprint,
    site.blueprint,
)

ENDPOINTS: Final = tuple(endpoints_of(BLUEPRINTS))
