"""API function: the Chalice app of all blueprints (decision 6)."""

from typing import Final

from chalicelib.api.edge.app import App
from chalicelib.api.routes import BLUEPRINTS, ENDPOINTS
from chalicelib.bootstrap.api import api_services
from chalicelib.bootstrap.cold_start import warm_up_on_lambda

# Imported with their first use (decision 7); processes that serve several at once load them before.
LATE_MODULES: Final = (
    "chalicelib.api.edge.nearest_route",
    "chalicelib.api.edge.openapi.document",
    "chalicelib.contract.batches.request",
    "chalicelib.contract.emails.providers",
    "chalicelib.contract.pdf_tools.requests",
    "chalicelib.contract.render.output",
    "chalicelib.contract.render.request",
    "chalicelib.contract.storage.providers",
    "chalicelib.contract.template.scene",
    "chalicelib.contract.validation",
    "chalicelib.engine.inputs.invoice",
    "multipart",
)

app = App(BLUEPRINTS, api_services)


def warm() -> None:
    """Build models and clients before the first request needs them."""
    api_services().warm_up()
    for row in ENDPOINTS:
        row.build_models()


warm_up_on_lambda(warm)
