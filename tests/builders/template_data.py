"""Data as the template process reads them."""

import json
from typing import Any

from chalicelib.engine.templating.number import Number


def template_data(data: object) -> dict[str, Any]:
    """Return data as templates get them: numbers with a fraction are decimals."""
    read: dict[str, Any] = json.loads(json.dumps(data), parse_float=Number)
    return read
