"""Reports about the assets of a page."""

from chalicelib.engine.browser.requests.assets import PageAssets


def test_no_part_of_a_long_password_is_reported() -> None:
    assets = PageAssets()

    assets.record_missing(f"https://user:{'x' * 600}@host.test/part", "it is not there")
    assets.record_slow(f"https://user:{'x' * 600}@host.test/late", 3)

    assert [warning.detail for warning in assets.warnings()] == [
        "https://host.test/part",
        "https://host.test/late",
    ]
