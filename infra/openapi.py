"""Write infra/openapi.json, the published description of the API (`python -m infra.openapi`)."""

import json
from pathlib import Path
from typing import Final

from chalicelib.api.edge.openapi.document import openapi_document
from chalicelib.api.routes import ENDPOINTS
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES

TARGET: Final = Path(__file__).with_name("openapi.json")
HOST: Final = "http://127.0.0.1:8700"


def openapi_text() -> str:
    """Return the content that the file must have."""
    document = openapi_document(ENDPOINTS, CONTRACT_EVENT_TYPES, HOST)
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(openapi_text(), encoding="utf-8")
