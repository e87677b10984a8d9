"""All attack cases."""

from tests.integration.attacks import markup, navigation, request_fields, scripts, styles, url_forms

CASES = (
    *markup.CASES,
    *styles.CASES,
    *scripts.CASES,
    *navigation.CASES,
    *url_forms.CASES,
    *request_fields.CASES,
)
