"""Hosts of URLs that the service sends to are read as browsers read them."""

import pytest
from pydantic import TypeAdapter, ValidationError

from chalicelib.contract.field_types import TargetUrl

URL: TypeAdapter[str] = TypeAdapter(TargetUrl)


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("https://bücher.example/a?b#c", "https://xn--bcher-kva.example/a?b#c"),
        ("https://BÜCHER.example:8443/ü", "https://xn--bcher-kva.example:8443/ü"),
        ("https://faß.example", "https://xn--fa-hia.example"),
        ("https://①②⑦.0.0.1/x", "https://127.0.0.1/x"),
        ("https://user@例え。テスト/", "https://user@xn--r8jz45g.xn--zckzah/"),
        ("https://Example.com/Ü", "https://Example.com/Ü"),
        ("https://[::1]/", "https://[::1]/"),
    ],
)
def test_host_has_ascii_labels(url: str, read: str) -> None:
    assert URL.validate_python(url) == read


@pytest.mark.parametrize("host", ["a..ü", "ü" * 64, "\u0301ü.de", "ü\u200b.-x", "\u06601.ü1a"])
def test_name_that_cannot_be_is_refused(host: str) -> None:
    with pytest.raises(ValidationError, match="no domain name"):
        URL.validate_python(f"https://{host}/")
