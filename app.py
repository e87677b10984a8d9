"""The API function: Chalice, with every route answered by the dispatcher of chalicelib.api."""

from chalicelib import bootstrap
from chalicelib.api._app import App
from chalicelib.api.routes import ENDPOINTS

app = App(ENDPOINTS, bootstrap.api_services)


def warm() -> None:
    """Import and build what the first request would wait for."""
    bootstrap.api_services().warm()
    for row in ENDPOINTS:
        row.warm()
