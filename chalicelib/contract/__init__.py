"""Public contract of the API as pydantic models; their docstrings are published in the OpenAPI."""
