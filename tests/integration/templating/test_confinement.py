"""Confinement of the template process: escaped code reaches nothing."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration


def test_the_child_inherits_no_environment() -> None:
    script = """
        import os, time
        from chalicelib.engine.templating.worker import TemplateWorker
        worker = TemplateWorker()
        worker.render("x", {}, strict=False, deadline=time.time() + 60)
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

    # The child is not dumpable, so only root may read its environment.
    assert ("PYTHONPATH" if os.geteuid() == 0 else "unreadable") in result.stdout
    assert "AWS" not in result.stdout


def test_confined_code_reaches_nothing(tmp_path: Path) -> None:
    # Actions that a template could try after an escape from the sandbox, in a confined process.
    script = """
        import os, sys, socket, ctypes, json, resource
        from pathlib import Path
        parent = os.getppid()
        if len(sys.argv) > 1:
            from chalicelib.engine.sandbox import process_sandbox
            from chalicelib.engine.templating import child
            child._create_warm_renderer()
            libc = ctypes.CDLL(None, use_errno=True)
            here = ctypes.create_string_buffer(8)
            one = (ctypes.c_void_p * 2)(ctypes.addressof(here), 8)
            vectors = (one, 1, one, 1, 0)

            def refused(result):
                if result == -1:
                    raise OSError(ctypes.get_errno())

            process_sandbox.enter_sandbox(parent)
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
                "end of the parent": lambda: os.kill(parent, 9),
                "signal to its group": lambda: os.killpg(os.getpgid(parent), 0),
                "process descriptor": lambda: os.pidfd_open(parent),
                "files of the parent": lambda: os.listdir(f"/proc/{parent}/fd"),
                "limits": lambda: resource.prlimit(parent, resource.RLIMIT_NOFILE),
                "more memory": lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
                "memory read": lambda: refused(libc.process_vm_readv(parent, *vectors)),
                "memory written": lambda: refused(libc.process_vm_writev(parent, *vectors)),
                "shared memory": lambda: refused(libc.shmget(0, 4096, 0o1600)),
                "pipe": os.pipe,
            }
            reached = []
            for name, attempt in tries.items():
                try:
                    attempt()
                except (OSError, ValueError):  # Python says ValueError of limits.
                    continue
                reached.append(name)
            sys.stdout.write(json.dumps(reached))
            sys.stdout.flush()
        else:
            import subprocess
            subprocess.run([sys.executable, __file__, "confined"], check=True)
    """

    assert _run_script(script, tmp_path) == "[]"


def test_confined_code_has_a_memory_limit(tmp_path: Path) -> None:
    script = """
        import os, sys
        from chalicelib.engine.sandbox import process_sandbox
        from chalicelib.engine.templating import child
        if len(sys.argv) > 1:
            child._create_warm_renderer()
            process_sandbox.enter_sandbox(os.getppid())
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


def test_parent_process_does_not_import_jinja(tmp_path: Path) -> None:
    script = """
        import sys
        import chalicelib.engine.templating.worker
        print("jinja2" in sys.modules)
    """

    assert _run_script(script, tmp_path).strip() == "False"


def _run_script(script: str, folder: Path) -> str:
    path = folder / "confined.py"
    path.write_text(textwrap.dedent(script), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    return result.stdout
