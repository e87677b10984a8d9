"""The public contract as pydantic models, one module per section."""
