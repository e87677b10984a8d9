"""OpenAPI 3.1 document of the API, built from the endpoints that also make the routes."""
