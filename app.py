"""The API function: Chalice, with every route answered by the dispatcher of chalicelib.api."""

from chalicelib.api._app import App
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap.api import api_services
from chalicelib.bootstrap.start import at_start

app = App(ENDPOINTS, api_services)


def warm() -> None:
    """Import and build what the first request would wait for."""
    api_services().warm()
    for row in ENDPOINTS:
        row.warm()


at_start(warm)
