"""Table of all endpoints of the API."""

from typing import Final

from chalicelib.api import (
    account,
    conveniences,
    datasets,
    einvoices,
    engines,
    files,
    meta,
    renders,
    template_versions,
    templates,
    uploads,
)
from chalicelib.api.edge.endpoint import endpoints_of

# The order of tags and operations in the OpenAPI document and the reference page.
RESOURCES: Final = (
    renders,
    uploads,
    conveniences,
    einvoices,
    templates,
    template_versions,
    datasets,
    engines,
    files,
    account,
    meta,
)

ENDPOINTS: Final = tuple(row for module in RESOURCES for row in endpoints_of(module))
