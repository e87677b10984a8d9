"""Descriptions that msgspec keeps of all types of the product, for tests with threads."""

import importlib
import pkgutil

import chalicelib
from chalicelib.bootstrap import cold_start


def build_type_descriptions() -> None:
    """Import all modules and build the descriptions of the types that msgspec reads in them."""
    for module in pkgutil.walk_packages(chalicelib.__path__, "chalicelib."):
        importlib.import_module(module.name)
    cold_start.build_type_descriptions()
