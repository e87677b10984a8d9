"""Hostile texts of tenants through the whole service and the real engine, from HTTP to events."""

import base64
import io
import json
import logging
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pikepdf
import pytest

from chalicelib.engine.render_engine import RenderEngine
from tests.builders.hostile_texts import HOSTILE_NAMES, HOSTILE_TEXTS
from tests.builders.in_process_aws import in_process_aws
from tests.builders.pages.engine_jobs import RefusingEgress
from tests.builders.pages.real_browser import folder
from tests.builders.service import Service

pytestmark = pytest.mark.integration

# A template can contain a lone surrogate, a request cannot.
HALF: Final = "{{ 'a\\ud800b\\udfff' }}"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    engine = RenderEngine(
        chromium_dir=str(folder("PLATEN_CHROMIUM_DIR", "chromium")),
        fonts_dir=str(folder("PLATEN_FONTS_DIR", "fonts")),
        sandbox=True,
        egress=RefusingEgress(),
    )
    # The process ends with the thread that has started it; each request has a thread of its own.
    engine.start_templates()
    with in_process_aws() as aws, unchanged_logging():
        service = Service(aws)
        service.clock.advance(seconds=int(time.time() - service.clock.now().timestamp()))
        service.engine.run = engine.run  # type: ignore[method-assign]
        try:
            yield service
        finally:
            engine._browser.close()
            engine._templates.close()


@contextmanager
def unchanged_logging() -> Iterator[None]:
    """Take back that the API function makes these loggers write JSON lines."""
    loggers = [logging.getLogger(name) for name in ("chalicelib", "functions")]
    before = [(logger.handlers[:], logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers[:] = handlers
        logger.setLevel(level)
        logger.propagate = propagate


def render(service: Service, html: str, **more: Any) -> bytes:
    service.clock.advance(seconds=2)
    answer = service.render(input={"type": "html", "html": html, "templating": True}, **more)
    assert answer.status == 200, answer.body[:500]
    return answer.body


def render_script(service: Service, script: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(service, f"<p>x<script>{script}</script>"))
    return found


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_archive_entries_stay_inside_the_target_folder(
    service: Service, name: str, tmp_path: Path
) -> None:
    is_half = name == "half a pair"
    filename, data = (HALF, {}) if is_half else ("{{ name }}", {"name": HOSTILE_NAMES[name]})
    output = {"format": "zip", "formats": ["pdf", "html"], "filename": filename}
    body = render(service, "x", output=output, data=data, delivery={"type": "binary"})

    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        names = archive.namelist()
        assert len({each.casefold() for each in names}) == len(names) == 2
        for info in archive.infolist():
            # The name as stored: zipfile would already have repaired the parsed name.
            assert info.orig_filename == info.filename
            assert info.filename.isprintable()
            assert not set(info.filename) & set('/\\:*?"<>|')
            assert info.external_attr >> 16 & 0o170000 in {0, 0o100000}
        archive.extractall(tmp_path / "there")
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.name for path in found) == sorted(names)
    assert {path.parent for path in found} == {tmp_path / "there"}


def test_attachments_keep_hostile_names(service: Service) -> None:
    names = ["parameter", "wild", "markup", "template", "long", "decomposed", "parameter"]
    attachments = [
        {"content": base64.b64encode(str(n).encode()).decode(), "filename": HOSTILE_NAMES[name]}
        for n, name in enumerate(names)
    ]
    body = render(
        service,
        "x",
        output={"pdf": {"attachments": attachments}},
        delivery={"type": "binary"},
    )

    with pikepdf.open(io.BytesIO(body)) as document:
        read = {
            name: document.attachments[name].get_file().read_bytes()
            for name in document.attachments
        }
        specs = [spec.filename for spec in map(document.attachments.__getitem__, read)]
    # The second file of one name gets a number; specification and name tree agree.
    assert len(read) == len(names)
    assert {read[HOSTILE_NAMES[name]] for name in names[:-1]} == {str(n).encode() for n in range(6)}
    assert sorted(specs) == sorted(read)


@pytest.mark.parametrize("text", [*HOSTILE_TEXTS, *HOSTILE_NAMES.values()])
def test_console_message_is_one_log_line(
    service: Service, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    literal = json.dumps(text).replace("<", "\\u003c").replace("{", "\\u007b")
    shown = render_script(service, f"console.log({literal}); document.title = {literal}")

    encodable = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert shown["logs"] == [f"log: {encodable}"]
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.isascii() and isinstance(json.loads(line), dict) for line in lines)
    assert "made up" not in "".join(lines)


def test_lone_surrogates_are_replaced_in_responses(service: Service) -> None:
    shown = render_script(
        service,
        "console.log({['\\ud800']: 1}, ['\\udfff']); console.error('\\ud800'.repeat(9999));"
        "setTimeout(() => { throw new Error('\\ud800') });"
        "fetch('https://a.test/\\ud800').catch(() => 0);",
    )

    assert len(shown["logs"]) >= 3
    assert not any("?" in line for line in shown["logs"]), (
        "replaced by an encoder, not by the engine"
    )


def test_long_texts_are_shortened_in_responses(service: Service) -> None:
    million = "'x'.repeat(1e6)"
    shown = render_script(
        service,
        f"console.log({million}); document.title = {million};"
        f"document.fonts.add(new FontFace({million}, 'url(data:,)'));"
        f"new Image().src = 'https://a.test/' + {million}; throw new Error({million})",
    )

    assert all(len(line) <= 500 for line in shown["logs"])
    assert len(json.dumps(shown)) < 20_000
