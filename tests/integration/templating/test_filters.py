"""The document filters in the confined process, which can open no file."""

import time
from collections.abc import Iterator

import pytest
from babel import localedata

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json
from chalicelib.engine.templating.filters.locale_data import preload_time_zones
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.worker import TemplateWorker

pytestmark = pytest.mark.integration

# Locales per render, so that neither time nor memory runs out.
AT_ONCE = 80


@pytest.fixture(scope="module")
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def text(
    worker: TemplateWorker,
    source: str,
    locale_defaults: LocaleDefaults | None = None,
    **data: Json,
) -> str:
    return worker.render(
        source,
        data,
        strict=True,
        deadline=time.time() + 60,
        locale_defaults=locale_defaults or LocaleDefaults(),
    )


def test_every_filter_works_in_the_confined_process(worker: TemplateWorker) -> None:
    source = (
        "{{ 1234.5|money('EUR') }}|{{ 0.19|percent }}|{{ 2.5|number(0) }}|{{ '2026-11-22'|date }}"
        "|{{ '2026-11-22T01:02:03Z'|datetime('long') }}|{{ 'a\nb'|nl2br }}|{{ '*a*'|markdown }}"
        "|{{ [v]|tojson }}|{{ v|qrcode|length > 500 }}|{{ v|barcode|length > 200 }}"
        "|{{ 'a ä Ω'|qrcode|length > 500 }}|{{ '1234567'|barcode('ean8')|length > 500 }}"
    )

    written = text(worker, source, LocaleDefaults("de-CH", "Asia/Tokyo"), v="A-1")

    assert written.split("|") == [
        "EUR\u00a01’234.50",  # noqa: RUF001 -- as the Swiss write it
        "19%",
        "3",
        "22.11.2026",
        "22. November 2026, 10:02:03 GMT+9",
        "a<br>\nb",
        "<p><em>a</em></p>\n",
        '["A-1"]',
        *["True"] * 4,
    ]


def test_every_locale_is_preloaded(worker: TemplateWorker) -> None:
    names = sorted(localedata.locale_identifiers())
    source = (
        "{% for name in names %}{{ '-1234.5'|money('EUR', name) }}{{ 1|percent(locale=name) }}"
        "{{ '2026-11-22T01:02Z'|datetime('full', 'Asia/Tokyo', name) }}\n{% endfor %}"
    )

    written = [
        text(worker, source, names=names[first : first + AT_ONCE])
        for first in range(0, len(names), AT_ONCE)
    ]

    assert len(names) > 1000
    assert sum(part.count("\n") for part in written) == len(names)
    assert not any(sign in part for part in written for sign in ("None", "¤"))


def test_every_time_zone_is_preloaded(worker: TemplateWorker) -> None:
    names = sorted(preload_time_zones())
    source = "{% for n in names %}{{ '2026-07-01T12:00Z'|datetime('HH:mm', n) }}\n{% endfor %}"

    written = text(worker, source, names=names)

    assert len(names) > 500
    assert written.count("\n") == len(names)
    assert len(set(written.split())) > 24


def test_filter_error_has_its_location_and_the_next_render_succeeds(worker: TemplateWorker) -> None:
    with pytest.raises(RenderFailure) as caught:
        text(worker, "one\n two {{ 1|money('EUR', locale='xx') }}")

    assert caught.value.code == "template_runtime_error"
    assert caught.value.members["line"] == 2
    assert caught.value.members["column"] == 9
    assert text(worker, "<html lang=fr>{{ 1.5|number }}") == "<html lang=fr>1,5"
    assert text(worker, "{{ 1.5|number }}") == "1.5"
