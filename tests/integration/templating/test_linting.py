"""Trying templates: every text is run by the real process, whatever the others find."""

from collections.abc import Iterator

import pytest

from chalicelib.engine.linting import faults_of
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.engine import NoOutside, job

pytestmark = pytest.mark.integration


@pytest.fixture
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def test_each_text_is_told_of_with_its_place(worker: TemplateWorker) -> None:
    output = {
        "filename": "{{ name|nothing }}.pdf",
        "pdf": {"header": {"enabled": True, "html": "<b>{{ ok }}\n{% endif %}"}},
    }
    broken = job("<p>\n{% if %}", output, head="{{ 1 / 0 }}", templating=True, data={"ok": 1})

    faults = faults_of(broken, worker, NoOutside())

    assert [fault.code for fault in faults] == [
        "template_syntax_error",
        "template_runtime_error",
        "template_runtime_error",
        "template_syntax_error",
    ]
    assert [fault.members["line"] for fault in faults] == [2, 1, 1, 2]
    assert faults_of(job("{{ a }}", templating=True), worker, NoOutside()) == []
