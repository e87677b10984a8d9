"""API function: the Chalice app of all blueprints (decision 6)."""

from chalicelib.api.edge.app import App
from chalicelib.api.routes import BLUEPRINTS, ENDPOINTS
from chalicelib.bootstrap.api import api_services
from chalicelib.bootstrap.cold_start import warm_up_on_lambda

app = App(BLUEPRINTS, api_services)


def warm() -> None:
    """Build models and clients before the first request needs them."""
    api_services().warm_up()
    for row in ENDPOINTS:
        row.build_models()


warm_up_on_lambda(warm)
