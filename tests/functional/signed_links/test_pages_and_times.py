"""Signed URLs past their time, or embedded by pages that are not on the list."""

import datetime as dt
from typing import Final

from chalicelib.core.clock import epoch_ms
from tests.builders.service import Service
from tests.builders.signed_links import (
    fetch,
    make_link,
    renders,
    sign,
)

ALLOWED_PAGES: Final = (
    "https://a.example",
    "https://a.example/",
    "https://a.example/page?x#y",
    "https://a.example?x",
    "HTTPS://A.EXAMPLE/",
    "https://a.example:443/",
    "http://b.example:8080/",
)
OTHER_PAGES: Final = (
    None,
    "",
    "null",
    "about:client",
    "http://a.example/",
    "https://a.example:444/",
    "https://a.example:4430/",
    "https://b.example:8080/",
    "http://b.example/",
    "https://a.example.evil.test/",
    "https://a.exampleevil.test/",
    "https://evil.test/https://a.example/",
    "https://evil.test?https://a.example/",
    "https://evil.test#https://a.example",
    "https://sub.a.example/",
    "https://a.example@evil.test/",
    "https://a.example:443@evil.test/",
    "https://evil.test@a.example/",
    "https://a.example\\@evil.test/",
    "https://a.example\\.evil.test/",
    "https://a.example%2eevil.test/",
    "https://a.example.",
    "https://a.example,https://evil.test",
    " https://a.example/",
    "//a.example/",
    "https:/a.example/",
    "https:///a.example/",
    "https://",
    "https://a。example/",
    "https://a.example:/",
    "https://a.example:443443/",
)


def test_url_ends_with_its_time_and_with_its_link(service: Service) -> None:
    now = service.clock.now()
    second = epoch_ms(now) // 1_000
    ends = (now + dt.timedelta(seconds=100)).isoformat()
    link = make_link(service, expires_at=ends)

    by_exp = sign(link, query=f"exp={second + 50}")
    by_link = sign(link, query=f"exp={second + 5_000}")
    for url in (by_exp, by_link):
        assert fetch(service, url).status == 200
    past = fetch(service, sign(link, query=f"exp={second}"))
    service.clock.advance(seconds=50)
    at_exp = [fetch(service, url) for url in (by_exp, by_link)]
    service.clock.advance(seconds=50)
    at_end = fetch(service, by_link)

    assert (past.status, past.code) == (410, "link_expired")
    assert [answer.status for answer in at_exp] == [410, 200]
    assert (at_end.status, at_end.code) == (410, "link_expired")
    assert "Cache-Control" in at_end.headers
    assert at_end.headers["Cache-Control"] == "no-store"


def test_page_is_allowed_by_its_whole_origin(service: Service) -> None:
    allowed = ["https://a.example", "http://b.example:8080"]
    link = make_link(service, allowed_referrers=allowed)

    for referrer in OTHER_PAGES:
        headers = {} if referrer is None else {"Referer": referrer}
        answer = fetch(service, sign(link), headers)
        assert (answer.status, answer.code) == (403, "referrer_not_allowed"), referrer
    assert renders(service) == []
    for referrer in ALLOWED_PAGES:
        assert fetch(service, sign(link), {"Referer": referrer}).status == 200, referrer


def test_checks_have_their_order(service: Service) -> None:
    """Whoever cannot sign learns nothing but that the link exists."""
    second = epoch_ms(service.clock.now()) // 1_000
    link = make_link(service, allowed_referrers=["https://a.example"], quota_total=1)
    good = {"Referer": "https://a.example/"}
    assert fetch(service, sign(link, query="n=1"), good).status == 200

    altered = fetch(service, sign(link, query="exp=1") + "0")
    past = fetch(service, sign(link, query=f"exp={second}"))
    elsewhere = fetch(service, sign(link, query="n=1"))
    used_up = fetch(service, sign(link, query="n=2"), good)
    service.operator.change_status.suspend(service.workspace)
    suspended = fetch(service, sign(link, query="n=1"), good)
    unsigned = fetch(service, sign(link, query="n=1")[:-1], good)

    assert altered.code == "invalid_signature"
    assert past.code == "link_expired"
    assert elsewhere.code == "referrer_not_allowed"
    assert (used_up.status, used_up.code) == (429, "quota_exceeded")
    assert suspended.code == "workspace_suspended"
    assert unsigned.code == "invalid_signature"
