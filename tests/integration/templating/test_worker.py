"""The template process: replaced after a breach, and nothing of the service is in its reach."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.templating.worker import TemplateWorker

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def _render(worker: TemplateWorker, source: str, *, within_s: float = 30, **data: Any) -> str:
    return worker.render(source, data, strict=False, deadline=time.time() + within_s)


def _failure(worker: TemplateWorker, source: str, *, within_s: float = 30) -> RenderFailure:
    with pytest.raises(RenderFailure) as caught:
        _render(worker, source, within_s=within_s)
    return caught.value


def _child(worker: TemplateWorker) -> psutil.Process:
    _render(worker, "warm")
    children = [
        process
        for process in psutil.Process().children()
        # Others may have left ended children behind, whose command line cannot be read.
        if process.status() != psutil.STATUS_ZOMBIE
        and any("templating.child" in word for word in process.cmdline())
    ]
    assert len(children) == 1
    return children[0]


def test_place_and_message_reach_the_caller(worker: TemplateWorker) -> None:
    failure = _failure(worker, "one\n  {{ 1 / 0 }}")

    assert failure.code == "template_runtime_error"
    assert failure.members == {"line": 2, "column": 6, "excerpt": "  {{ 1 / 0 }}"}


def test_the_deadline_ends_a_run(worker: TemplateWorker) -> None:
    _render(worker, "warm")
    started = time.monotonic()

    failure = _failure(worker, "{% for i in range(4900000) %}{% endfor %}", within_s=0.2)

    assert failure.code == "render_timeout"
    assert time.monotonic() - started < 3
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


def test_an_ordinary_fault_keeps_the_warm_child(worker: TemplateWorker) -> None:
    before = _child(worker).pid

    _failure(worker, "{% nope %}")
    _failure(worker, "{{ 1 / 0 }}")

    assert _child(worker).pid == before


def test_a_breach_replaces_the_child(worker: TemplateWorker) -> None:
    before = _child(worker).pid

    _failure(worker, "{{ 'a' * 10**9 }}")

    assert _child(worker).pid != before


def test_large_input_and_output_pass_whole(worker: TemplateWorker) -> None:
    text = "ä<" * 1_500_000

    result = _render(worker, "{{ text|safe }}", text=text)

    assert result == text


def test_a_killed_child_is_replaced_within_the_same_run(worker: TemplateWorker) -> None:
    child = _child(worker)
    timer = threading.Timer(0.2, child.kill)
    timer.start()

    result = _render(worker, "{% for i in range(4000000) %}{% endfor %}done")

    timer.join()
    assert result == "done"
    assert not child.is_running()


def test_a_child_killed_between_runs_is_replaced(worker: TemplateWorker) -> None:
    child = _child(worker)
    child.kill()
    time.sleep(0.1)

    assert _render(worker, "{{ 1 + n }}", n=1) == "2"


def test_the_child_inherits_no_environment() -> None:
    script = """
        import os, time
        from chalicelib.engine.templating.worker import TemplateWorker
        worker = TemplateWorker()
        worker.render("x", {}, strict=False, deadline=time.time() + 20)
        child = next(p for p in os.listdir("/proc") if p.isdigit() and f" {os.getpid()} " in
            open(f"/proc/{p}/stat").read())
        try:
            print(open(f"/proc/{child}/environ").read())
        except PermissionError:
            print("unreadable")
    """
    environment = {**os.environ, "AWS_SECRET_ACCESS_KEY": "a-secret", "PYTHONPATH": os.getcwd()}  # noqa: PTH109

    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    # It is not dumpable, so only root may look into it.
    assert ("PYTHONPATH" if os.geteuid() == 0 else "unreadable") in result.stdout
    assert "AWS" not in result.stdout


def test_confined_code_reaches_nothing(tmp_path: Path) -> None:
    # What a template that escaped from the language could try, run in a confined process.
    script = """
        import os, sys, socket, ctypes, json
        from pathlib import Path
        parent = os.getppid()
        if len(sys.argv) > 1:
            from chalicelib.engine.templating import child, confinement
            child._warm_renderer()
            confinement.confine(parent)
            tries = {
                "environment": lambda: open(f"/proc/{parent}/environ", "rb").read(),
                "memory": lambda: open(f"/proc/{parent}/mem", "rb").read(1),
                "own environment": lambda: open("/proc/self/environ", "rb").read(),
                "file": lambda: open("/etc/passwd").read(),
                "write": lambda: open("/tmp/x-confined", "w").write("x"),
                "socket": lambda: socket.socket(),
                "fork": lambda: os.fork(),
                "exec": lambda: os.execv("/bin/true", ["true"]),
                "kill": lambda: os.kill(parent, 0),
                "ptrace": lambda: ctypes.pythonapi and (_ for _ in ()).throw(OSError())
                    if ctypes.CDLL(None).ptrace(16, parent, 0, 0) == -1 else None,
                "user": lambda: os.setuid(0),
            }
            reached = []
            for name, attempt in tries.items():
                try:
                    attempt()
                except OSError:
                    continue
                reached.append(name)
            sys.stdout.write(json.dumps(reached))
            sys.stdout.flush()
        else:
            import subprocess
            subprocess.run([sys.executable, __file__, "confined"], check=True)
    """

    assert _run_script(script, tmp_path) == "[]"


def test_confined_code_has_its_memory_bounded(tmp_path: Path) -> None:
    script = """
        import os, sys
        from chalicelib.engine.templating import child, confinement
        if len(sys.argv) > 1:
            child._warm_renderer()
            confinement.confine(os.getppid())
            try:
                bytearray(600_000_000)
            except MemoryError:
                sys.stdout.write("refused")
                sys.stdout.flush()
        else:
            import subprocess
            subprocess.run([sys.executable, __file__, "confined"], check=True)
    """

    assert _run_script(script, tmp_path) == "refused"


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
        worker.render("x", {}, strict=False, deadline=time.time() + 20)
        print(worker._child._process.pid, flush=True)
        worker.render("{{ [1]|slice(10**9)|list }}", {}, strict=False, deadline=time.time() + 20)
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

    _, alive = psutil.wait_procs([child], timeout=1)
    assert all(it.status() == psutil.STATUS_ZOMBIE for it in alive)


def test_jinja_stays_out_of_the_parent(tmp_path: Path) -> None:
    script = """
        import sys
        import chalicelib.engine.templating.worker
        print("jinja2" in sys.modules)
    """

    assert _run_script(script, tmp_path).strip() == "False"


def _child_of(worker: TemplateWorker) -> psutil.Process:
    before = {process.pid for process in psutil.Process().children()}
    worker.start()
    return next(it for it in psutil.Process().children() if it.pid not in before)


def _run_script(script: str, folder: Path) -> str:
    path = folder / "confined.py"
    path.write_text(textwrap.dedent(script), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return result.stdout
