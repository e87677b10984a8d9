"""The API function: Chalice, with every route answered by the dispatcher of chalicelib.api."""

from chalicelib.api.edge.app import App
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap.api import api_services
from chalicelib.bootstrap.cold_start import warm_up_on_lambda

app = App(ENDPOINTS, api_services)


def warm() -> None:
    """Import and build what the first request would wait for."""
    api_services().warm_up()
    for row in ENDPOINTS:
        row.build_models()


warm_up_on_lambda(warm)
