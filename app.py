"""The API function: Chalice, with every route answered by the dispatcher of chalicelib.api."""

from chalicelib import bootstrap
from chalicelib.api._app import App
from chalicelib.api.routes import ENDPOINTS

app = App(ENDPOINTS, bootstrap.api_services)
