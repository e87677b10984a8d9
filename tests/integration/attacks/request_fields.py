"""Attacks by fields of a request beside its document."""

from collections.abc import Mapping
from typing import Any

from tests.builders.pages.web_site import SitePage
from tests.integration.attacks.case import Case

_PART = (
    "<img src='$url'><img src=x onerror=\"fetch('$url')\"><script>fetch('$url')</script>"
    "<style>@import url($url.css); p {background: url($url)}</style><p>x"
    "<iframe src='$url'></iframe>"
    "<link rel=stylesheet href='$url.css'><svg><image href='$url'/></svg>"
)
_URLS = {
    "literal": "https://$host/$slug",
    "plain literal": "$url",
    "hexadecimal": "http://$hex:$port/$slug",
    "name": "https://$name/$slug",
    "redirect": "$site",
    "metadata": "http://169.254.169.254/$slug",
    "file": "file://$file",
    "user's name": "https://public.test@$host/$slug",
}
_PAGES = {"/$slug": SitePage("redirected", status=302, headers={"Location": "$tls"})}
_NAMED = {"$name": [["A $ip"]]}


def _pdf(**pdf: Any) -> Mapping[str, Any]:
    return {"pdf": pdf}


def _printed(html: str) -> Mapping[str, Any]:
    return {"enabled": True, "html": html, "height": "30mm"}


def _attached(url: str) -> Mapping[str, Any]:
    return _pdf(attachments=[{"url": url, "filename": "x.txt"}])


CASES = (
    Case("Header and footer", "header", output=_pdf(header=_printed(_PART))),
    Case("Header and footer", "footer", output=_pdf(footer=_printed(_PART))),
    Case(
        "Header and footer",
        "header of the first page",
        output=_pdf(first_header=_printed(_PART), last_footer=_printed(_PART)),
    ),
    Case(
        "Header and footer",
        "leads away",
        output=_pdf(
            header=_printed(
                "<meta http-equiv=refresh content='0;url=$url'><script>location = '$url'</script>x"
            )
        ),
    ),
    *(
        Case("Attachments", name, output=_attached(url), pages=_PAGES, names=_NAMED)
        for name, url in _URLS.items()
    ),
    *(
        Case("Watermark", name, output=_pdf(watermark={"image": {"url": url}}), pages=_PAGES)
        for name, url in _URLS.items()
        if name in {"literal", "redirect"}
    ),
    *(
        Case("data_url", name, data_url=url, pages=_PAGES, names=_NAMED)
        for name, url in _URLS.items()
    ),
)
