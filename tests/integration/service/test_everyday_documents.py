"""Documents as people write them: none of them gets a warning."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

FOLDER: Final = Path(__file__).parent / "everyday_documents"
# The rest of each request, by document.
REQUESTS: Final[dict[str, dict[str, Any]]] = json.loads((FOLDER / "requests.json").read_text())


@pytest.mark.parametrize("name", REQUESTS)
def test_document_renders_without_a_warning(live: ApiClient, name: str) -> None:
    html = (FOLDER / f"{name}.html").read_text(encoding="utf-8")

    answer = live.http.post(
        "/renders", json={"input": {"type": "html", "html": html}, **REQUESTS[name]}
    )

    assert answer.status_code in {200, 201}, answer.text
    assert answer.json()["warnings"] == []
