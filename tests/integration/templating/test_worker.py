"""The template worker: its process is replaced after a breach and isolated from the service."""

import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.busy_process import when_busy
from tests.builders.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def _render(
    worker: TemplateWorker, source: str, *, within_s: float = PATIENCE_S, **data: Any
) -> str:
    return worker.render(source, data, strict=False, deadline=time.time() + within_s)


def _failure(worker: TemplateWorker, source: str, *, within_s: float = PATIENCE_S) -> RenderFailure:
    with pytest.raises(RenderFailure) as caught:
        _render(worker, source, within_s=within_s)
    return caught.value


def _child(worker: TemplateWorker) -> psutil.Process:
    _render(worker, "warm")
    children = [
        process
        for process in psutil.Process().children()
        # Other tests may have left zombies, whose command line cannot be read.
        if process.status() != psutil.STATUS_ZOMBIE
        and any("templating.child" in word for word in process.cmdline())
    ]
    assert len(children) == 1
    return children[0]


def test_numbers_of_the_data_are_decimals(worker: TemplateWorker) -> None:
    source = "{{ a + b }} {{ whole }} {{ rows|sum(attribute='p') }} {{ [a, whole]|tojson }}"
    data: dict[str, Any] = {"a": 0.1, "b": 0.2, "whole": 7.0, "rows": [{"p": "12.50"}, {"p": 7}]}

    text = worker.render(source, data, strict=True, deadline=time.time() + PATIENCE_S)

    assert text == "0.3 7 19.5 [0.1, 7]"


def test_error_location_reaches_the_caller(worker: TemplateWorker) -> None:
    failure = _failure(worker, "one\n  {{ 1 / 0 }}")

    assert failure.code == "template_runtime_error"
    assert failure.members == {"line": 2, "column": 6, "excerpt": "  {{ 1 / 0 }}"}


def test_the_deadline_ends_a_run(worker: TemplateWorker) -> None:
    child = _child(worker)

    failure = _failure(worker, "{% for i in range(4900000) %}{% endfor %}", within_s=0.2)

    assert failure.code == "render_timeout"
    assert not child.is_running()
    assert _render(worker, "{{ 1 + n }}", n=1) == "2"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ '<b>x</b> &amp;'|striptags }}", "x &amp;"),
        ("{{ 'www.a.example'|urlize }}", "www.a.example"),
        ("{{ {'a': 1}|pprint }}", "1"),
        ("{{ 'a b c'|wordwrap(3) }}", "a b"),
        ("{{ {'a': 1}|xmlattr }}", 'a="1"'),
        ("{{ [3, 1]|sort|tojson }}", "[1, 3]"),
        ("{{ 1000|filesizeformat }}", "1.0 kB"),
        ("{{ 'a b'|urlencode }}", "a%20b"),
        ("{{ lipsum(1, False, 3, 4)|length > 3 }}", "True"),
        ("{% for g in [{'a': 1}]|groupby('a') %}{{ g.grouper }}{% endfor %}", "1"),
    ],
)
def test_filters_that_import_late_work_in_the_confined_child(
    worker: TemplateWorker, source: str, text: str
) -> None:
    assert text in _render(worker, source)


def test_template_error_keeps_the_warm_child(worker: TemplateWorker) -> None:
    before = _child(worker).pid

    _failure(worker, "{% nope %}")
    _failure(worker, "{{ 1 / 0 }}")

    assert _child(worker).pid == before


def test_exhausted_fuel_replaces_the_child(worker: TemplateWorker) -> None:
    before = _child(worker).pid

    _failure(worker, "{{ 'a' * 10**9 }}")

    assert _child(worker).pid != before


def test_large_input_and_output_are_transferred_completely(worker: TemplateWorker) -> None:
    text = "ä<" * 1_500_000

    result = _render(worker, "{{ text|safe }}", text=text)

    assert result == text


def test_a_killed_child_is_replaced_within_the_same_run(worker: TemplateWorker) -> None:
    child = _child(worker)

    with when_busy(child, child.kill):
        result = _render(worker, "{% for i in range(4000000) %}{% endfor %}done")

    assert result == "done"
    assert not child.is_running()


def test_a_child_killed_between_runs_is_replaced(worker: TemplateWorker) -> None:
    child = _child(worker)
    child.kill()
    eventually(lambda: child.status() == psutil.STATUS_ZOMBIE)

    assert _render(worker, "{{ 1 + n }}", n=1) == "2"


def test_child_has_only_its_standard_streams_open(worker: TemplateWorker) -> None:
    child = _child(worker)

    with socket.socket() as ours:
        ours.listen()
        worker.close()
        fresh = _child(worker)

        # Standard input, output and error.
        assert fresh.num_fds() == 3
        assert fresh.net_connections() == []
    assert fresh.pid != child.pid


def test_one_run_leaves_nothing_for_the_next(worker: TemplateWorker) -> None:
    before = _child(worker).pid
    _render(
        worker,
        "{% set leak = secret %}{% macro m() %}{{ secret }}{% endmacro %}{{ m() }}",
        secret="of one tenant",
    )

    assert _render(worker, "{{ leak }}{{ secret }}{{ m }}|{{ n }}", n=1) == "|1"
    assert "tenant" not in _render(worker, "{{ leak }}{{ secret }}{{ m }}")
    assert _child(worker).pid == before


def test_no_child_outlives_close() -> None:
    worker = TemplateWorker()
    child = _child_of(worker)

    worker.close()

    assert not child.is_running()


def test_no_child_outlives_a_killed_parent() -> None:
    script = """
        import sys, time, threading
        from chalicelib.engine.templating.worker import TemplateWorker
        worker = TemplateWorker()
        worker.render("x", {}, strict=False, deadline=time.time() + 60)
        print(worker._child._process.pid, flush=True)
        worker.render("{{ [1]|slice(10**9)|list }}", {}, strict=False, deadline=time.time() + 60)
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    time.sleep(0.2)

    parent.send_signal(signal.SIGKILL)
    parent.communicate()

    _, alive = psutil.wait_procs([child], timeout=PATIENCE_S)
    assert all(it.status() == psutil.STATUS_ZOMBIE for it in alive)


def _child_of(worker: TemplateWorker) -> psutil.Process:
    before = {process.pid for process in psutil.Process().children()}
    worker.start()
    return next(it for it in psutil.Process().children() if it.pid not in before)
