"""The API function: Chalice, with every route answered by the dispatcher of chalicelib.api."""

from chalicelib.api._app import App
from chalicelib.api._services import Services
from chalicelib.api.routes import ENDPOINTS


def _services() -> Services:
    from chalicelib import bootstrap  # noqa: PLC0415 -- boto3 is loaded by the first request

    return bootstrap.api_services()


app = App(ENDPOINTS, _services)
