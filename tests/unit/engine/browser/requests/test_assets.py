"""What is told of a page's parts."""

from chalicelib.engine.browser.requests.assets import PageAssets


def test_no_part_of_a_password_is_told_however_long_it_is() -> None:
    assets = PageAssets(lambda: "https://own.invalid")

    assets.record_missing(f"https://user:{'x' * 600}@host.test/part", "it is not there")
    assets.record_slow(f"https://user:{'x' * 600}@host.test/late", 3)

    assert [warning.detail for warning in assets.warnings()] == [
        "https://host.test/part",
        "https://host.test/late",
    ]
