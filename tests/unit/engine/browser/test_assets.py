"""What is told of a page's parts."""

from chalicelib.engine.browser.assets import Assets


def test_no_part_of_a_password_is_told_however_long_it_is() -> None:
    assets = Assets(lambda: "https://own.invalid")

    assets.miss(f"https://user:{'x' * 600}@host.test/part", "it is not there")
    assets.late(f"https://user:{'x' * 600}@host.test/late", 3)

    assert [warning.detail for warning in assets.warnings()] == [
        "https://host.test/part",
        "https://host.test/late",
    ]
