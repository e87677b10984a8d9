"""URLs of signed links: one render each, served to everyone without a key."""

from tests.builders.service import Service
from tests.builders.signed_links import fetch, make_link, renders, shown, sign


def test_url_makes_its_file_once(service: Service) -> None:
    link = make_link(service)
    url = sign(link)

    first = fetch(service, url)
    again = fetch(service, url)

    assert first.status == 200, first.body
    assert first.headers["Content-Type"] == "image/png"
    assert (again.status, again.body) == (200, first.body)
    (render,) = renders(service)
    assert (render["source"], render["status"], render["test"]) == (
        "signed_link",
        "succeeded",
        False,
    )
    assert shown(service, link)["quota_used"] == 1
