"""All attacks there are."""

from tests.integration.attacks import leading, markup, parts, places, scripts, styles

CASES = (
    *markup.CASES,
    *styles.CASES,
    *scripts.CASES,
    *leading.CASES,
    *places.CASES,
    *parts.CASES,
)
